"""A conversation with an agent: the SDK's client over our transport, each call within a bound.

Importing the SDK costs most of a second, so only who starts an agent imports this module.
"""

import asyncio
import signal
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, Final, TypeAlias, TypeVar

from acp.client.connection import ClientSideConnection
from acp.exceptions import RequestError
from acp.helpers import text_block
from acp.schema import (
    AcpMcpServer,
    AllowedOutcome,
    ClientCapabilities,
    CreateTerminalResponse,
    DeniedOutcome,
    EnvVariable,
    FileSystemCapabilities,
    HttpHeader,
    HttpMcpServer,
    Implementation,
    KillTerminalResponse,
    McpServerStdio,
    PermissionOption,
    ReadTextFileResponse,
    ReleaseTerminalResponse,
    RequestPermissionResponse,
    SessionConfigOptionBoolean,
    SessionConfigOptionSelect,
    SessionConfigSelectGroup,
    SseMcpServer,
    TerminalExitStatus,
    TerminalOutputResponse,
    ToolCallUpdate,
    WaitForTerminalExitResponse,
    WriteTextFileResponse,
)
from pydantic import ValidationError
from typing_extensions import override

from adapters.agentctl.server.acp.permissions import Permissions
from adapters.agentctl.server.acp.transport import AgentTransport
from adapters.agentctl.server.conversations import Conversation, Introduction, ModelRefused
from adapters.agentctl.server.served_files import ServedFiles
from adapters.agentctl.server.served_terminals import AskedCommand, ServedTerminals
from domain.agent_bounds import AgentBounds
from domain.checkout_file import FileCode, FileFailure
from domain.mcp_server import GivenMcpServer, McpTransport
from domain.outcome import Failure, Result, Success, failed
from domain.permission import Option
from ports.processes import Exit
from ports.runtime import RuntimeCode, RuntimeProblem

__all__ = ("AcpConversation",)

PROTOCOL_VERSION: Final = 1
"""The only version of the protocol that we speak."""

_SERVED: Final = ClientCapabilities(
    terminal=True, fs=FileSystemCapabilities(read_text_file=True, write_text_file=True)
)

_DETAIL: Final = 1000

Answer = TypeVar("Answer")
McpServer: TypeAlias = HttpMcpServer | SseMcpServer | AcpMcpServer | McpServerStdio


class AcpConversation(Conversation):
    """A `Conversation` over the SDK's connection, which is there while something is asked.

    One that waits costs more than all the rest of an idle instance.
    """

    __slots__ = ("_bounds", "_calls", "_client", "_closed", "_connection", "_models", "_transport")

    def __init__(
        self,
        transport: AgentTransport,
        permissions: Permissions,
        terminals: ServedTerminals,
        files: ServedFiles,
        bounds: AgentBounds,
    ) -> None:
        self._bounds = bounds
        self._client = _client(permissions, terminals, files)
        self._transport = transport
        self._connection: ClientSideConnection | None = None
        self._models: SessionConfigOptionSelect | None = None
        self._calls = 0
        self._closed = False
        transport.called = self._listen

    @override
    async def initialize(self, version: str) -> Result[Introduction, RuntimeProblem]:
        answered = await self._ask(
            self._bounds.initialize,
            "initialize",
            lambda agent: agent.initialize(
                PROTOCOL_VERSION,
                client_capabilities=_SERVED,
                client_info=Implementation(name="kandev", version=version),
            ),
        )
        if failed(answered):
            return answered
        answer = answered.unwrap()
        if answer.protocol_version != PROTOCOL_VERSION:
            detail = f"the agent speaks version {answer.protocol_version} of the protocol, not 1"
            return Failure(RuntimeProblem(RuntimeCode.PROTOCOL, detail))
        capabilities = answer.agent_capabilities
        if capabilities is None:
            return Success(Introduction({}, False))
        shown = capabilities.model_dump(mode="json", by_alias=True, exclude_unset=True)
        return Success(Introduction(shown, bool(capabilities.load_session)))

    @override
    async def begin(
        self, directory: str, servers: Sequence[GivenMcpServer], system_prompt: str | None
    ) -> Result[str, RuntimeProblem]:
        answered = await self._ask(
            self._bounds.session,
            "session/new",
            lambda agent: agent.new_session(
                cwd=directory, mcp_servers=_told(servers), **_meta(system_prompt)
            ),
        )
        if failed(answered):
            return answered
        answer = answered.unwrap()
        self._models = _models(answer.config_options)
        return Success(answer.session_id)

    @override
    async def load(
        self,
        directory: str,
        session: str,
        servers: Sequence[GivenMcpServer],
        system_prompt: str | None,
    ) -> Result[None, RuntimeProblem]:
        answered = await self._ask(
            self._bounds.session,
            "session/load",
            lambda agent: agent.load_session(
                cwd=directory,
                session_id=session,
                mcp_servers=_told(servers),
                **_meta(system_prompt),
            ),
        )
        if failed(answered):
            return answered
        self._models = _models(answered.unwrap().config_options)
        return Success(None)

    @override
    async def choose_model(
        self, session: str, model: str
    ) -> Result[ModelRefused | None, RuntimeProblem]:
        models = self._models
        if models is None:
            return Success(ModelRefused.NO_CHOICE)
        if model not in _offered(models):
            return Success(ModelRefused.NOT_OFFERED)
        if models.current_value == model:
            return Success(None)
        chosen = await self._ask(
            self._bounds.session,
            "session/set_config_option",
            lambda agent: agent.set_config_option(models.id, session, model),
        )
        return chosen.map(lambda _: None)

    @override
    async def prompt(self, session: str, text: str) -> Result[str, RuntimeProblem]:
        answered = await self._ask(
            None,
            "session/prompt",
            lambda agent: agent.prompt(session_id=session, prompt=[text_block(text)]),
        )
        return answered.map(lambda answer: str(answer.stop_reason))

    @override
    async def cancel(self, session: str) -> Result[None, RuntimeProblem]:
        return await self._ask(
            self._bounds.cancel, "session/cancel", lambda agent: agent.cancel(session)
        )

    @override
    async def close(self) -> None:
        self._closed = True
        if self._connection is not None:
            await self._connection.close()

    def _listen(self) -> None:
        """Have a connection that takes what the agent asks."""
        if self._connection is None and not self._closed:
            self._connection = ClientSideConnection(self._client, self._transport)

    async def _ask(
        self,
        seconds: float | None,
        method: str,
        call: Callable[[ClientSideConnection], Awaitable[Answer]],
    ) -> Result[Answer, RuntimeProblem]:
        self._listen()
        if self._connection is None:
            return Failure(_ended(method))
        self._calls += 1
        try:
            return await _within(seconds, method, call(self._connection))
        finally:
            self._calls -= 1
            if not self._calls and not self._closed and self._transport.dismiss():
                self._connection = None


def _told(servers: Sequence[GivenMcpServer]) -> list[McpServer]:
    return [_server(each) for each in servers]


def _server(server: GivenMcpServer) -> McpServer:
    headers = [HttpHeader(name=name, value=value) for name, value in server.headers.items()]
    match server.transport:
        case McpTransport.STDIO:
            return McpServerStdio(
                name=server.name,
                command=server.command,
                args=list(server.arguments),
                env=[EnvVariable(name=n, value=v) for n, v in server.environment.items()],
            )
        case McpTransport.HTTP:
            return HttpMcpServer(type="http", name=server.name, url=server.url, headers=headers)
        case McpTransport.SSE:
            return SseMcpServer(type="sse", name=server.name, url=server.url, headers=headers)


def _meta(system_prompt: str | None) -> dict[str, Any]:  # the SDK's own `_meta`
    """Version 1 of the protocol has no member for it; agents that know this extension add it."""
    return {} if system_prompt is None else {"systemPrompt": {"append": system_prompt}}


def _models(
    options: Sequence[SessionConfigOptionSelect | SessionConfigOptionBoolean] | None,
) -> SessionConfigOptionSelect | None:
    """The option by which the agent lets its model be chosen."""
    selects = (each for each in options or () if isinstance(each, SessionConfigOptionSelect))
    return next((each for each in selects if each.category == "model"), None)


def _offered(models: SessionConfigOptionSelect) -> frozenset[str]:
    return frozenset(
        option.value
        for each in models.options
        for option in (each.options if isinstance(each, SessionConfigSelectGroup) else (each,))
    )


def _client(permissions: Permissions, terminals: ServedTerminals, files: ServedFiles) -> Any:
    """The part of the SDK's client protocol that is served; the SDK looks its methods up by name.

    It answers for a method that is absent.
    """
    return _Client(permissions, terminals, files)


class _Client:
    __slots__ = ("_files", "_permissions", "_terminals")

    def __init__(
        self, permissions: Permissions, terminals: ServedTerminals, files: ServedFiles
    ) -> None:
        self._permissions = permissions
        self._terminals = terminals
        self._files = files

    async def request_permission(
        self,
        tool_call: ToolCallUpdate,
        options: list[PermissionOption],
        **_: object,
    ) -> RequestPermissionResponse:
        offered = [Option(option.option_id, option.name, option.kind) for option in options]
        shown = tool_call.model_dump(mode="json", by_alias=True, exclude_none=True)
        chosen = await self._permissions.ask(shown, offered)
        if chosen is None:
            return RequestPermissionResponse(outcome=DeniedOutcome(outcome="cancelled"))
        return RequestPermissionResponse(
            outcome=AllowedOutcome(outcome="selected", option_id=chosen)
        )

    async def read_text_file(
        self, path: str, line: int | None = None, limit: int | None = None, **_: object
    ) -> ReadTextFileResponse:
        return ReadTextFileResponse(content=_found(await self._files.read(path, line, limit)))

    async def write_text_file(self, path: str, content: str, **_: object) -> WriteTextFileResponse:
        _found(await self._files.write(path, content))
        return WriteTextFileResponse()

    async def create_terminal(
        self,
        command: str,
        args: list[str] | None = None,
        env: list[EnvVariable] | None = None,
        cwd: str | None = None,
        output_byte_limit: int | None = None,
        **_: object,
    ) -> CreateTerminalResponse:
        if cwd is not None and not cwd.startswith("/"):
            raise RequestError.invalid_params({"cwd": "not absolute"})
        variables = {each.name: each.value for each in env or ()}
        asked = AskedCommand(command, args or (), variables, cwd, output_byte_limit)
        return CreateTerminalResponse(terminal_id=_served(await self._terminals.create(asked)))

    async def terminal_output(self, terminal_id: str, **_: object) -> TerminalOutputResponse:
        output = _served(self._terminals.output(terminal_id))
        ended = None if output.ended is None else TerminalExitStatus(**_ending(output.ended))
        return TerminalOutputResponse(
            output=output.text, truncated=output.truncated, exit_status=ended
        )

    async def wait_for_terminal_exit(
        self, terminal_id: str, **_: object
    ) -> WaitForTerminalExitResponse:
        ended = _served(await self._terminals.wait(terminal_id))
        return WaitForTerminalExitResponse(**_ending(ended))

    async def kill_terminal(self, terminal_id: str, **_: object) -> KillTerminalResponse:
        _served(await self._terminals.kill(terminal_id))
        return KillTerminalResponse()

    async def release_terminal(self, terminal_id: str, **_: object) -> ReleaseTerminalResponse:
        _served(await self._terminals.release(terminal_id))
        return ReleaseTerminalResponse()


def _found(outcome: Result[Answer, FileFailure | RuntimeProblem]) -> Answer:
    """The value; a file that is not there is the protocol's own error for it."""
    if not failed(outcome):
        return outcome.unwrap()
    problem = outcome.failure()
    if isinstance(problem, RuntimeProblem):
        raise _error(problem)
    if problem.code is FileCode.NOT_FOUND:
        raise RequestError.resource_not_found(problem.path)
    raise RequestError.invalid_params({"code": problem.code.value, "path": problem.path})


def _served(outcome: Result[Answer, RuntimeProblem]) -> Answer:
    """The value, or the error that the problem is to an agent."""
    if failed(outcome):
        raise _error(outcome.failure())
    return outcome.unwrap()


def _error(problem: RuntimeProblem) -> RequestError:
    return RequestError.invalid_params({"code": problem.code.value, "detail": problem.detail})


def _ending(ended: Exit) -> dict[str, Any]:  # the SDK's own fields
    name = None if ended.signal is None else signal.Signals(ended.signal).name
    return {"exit_code": ended.status, "signal": name}


async def _within(
    seconds: float | None, method: str, call: Awaitable[Answer]
) -> Result[Answer, RuntimeProblem]:
    try:
        async with asyncio.timeout(seconds):
            return Success(await call)
    except RequestError as error:
        detail = f"{method}: {error} ({error.code}){_data(error.data)}"[:_DETAIL]
        return Failure(RuntimeProblem(RuntimeCode.AGENT_REFUSED, detail))
    except ConnectionError:
        return Failure(_ended(method))
    except TimeoutError:
        detail = f"the agent did not answer {method} within {seconds} seconds"
        return Failure(RuntimeProblem(RuntimeCode.AGENT_SILENT, detail))
    except ValidationError as error:
        places = ", ".join(".".join(map(str, line["loc"])) for line in error.errors())
        detail = f"the agent's answer to {method} is malformed: {places}"[:_DETAIL]
        return Failure(RuntimeProblem(RuntimeCode.PROTOCOL, detail))


def _ended(method: str) -> RuntimeProblem:
    return RuntimeProblem(RuntimeCode.AGENT_DIED, f"the agent ended in {method}")


def _data(data: object) -> str:
    return f": {data}" if data else ""
