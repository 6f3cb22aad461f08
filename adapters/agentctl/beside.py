"""The control plane's way to what runs beside an agent: through its agentctl."""

from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager
from typing import Final, TypeVar
from urllib.parse import quote

import msgspec
from typing_extensions import override

from adapters.agentctl import beside_wire
from adapters.agentctl.instance_call import Present, call, decoded
from adapters.agentctl.terminal_link import dialled
from domain.background import Background, BackgroundOutput
from domain.execution import Handle
from domain.outcome import Result, failed
from domain.terminal import SessionTerminal, TerminalSize
from ports.beside import Beside, TerminalLink
from ports.runtime import RuntimeProblem

__all__ = ("AgentctlBeside",)

Value = TypeVar("Value")

_terminal: Final = msgspec.json.Decoder(SessionTerminal)
_terminals: Final = msgspec.json.Decoder(list[SessionTerminal])
_background: Final = msgspec.json.Decoder(Background)
_backgrounds: Final = msgspec.json.Decoder(list[Background])
_output: Final = msgspec.json.Decoder(BackgroundOutput)


class AgentctlBeside(Beside):
    def __init__(self, keeper: Present) -> None:
        self._keeper = keeper

    @override
    async def start(
        self, handle: Handle, command: str, folder: str
    ) -> Result[Background, RuntimeProblem]:
        content = msgspec.json.encode(beside_wire.Command(command, folder))
        return await self._ask(handle, "POST", "/processes", content, _background)

    @override
    async def all(self, handle: Handle) -> Result[Sequence[Background], RuntimeProblem]:
        listed = await self._ask(handle, "GET", "/processes", None, _backgrounds)
        return listed.map(tuple)

    @override
    async def output(
        self, handle: Handle, process: str, after: int
    ) -> Result[BackgroundOutput, RuntimeProblem]:
        rest = f"{_path(process)}/output?after={after}"
        return await self._ask(handle, "GET", rest, None, _output)

    @override
    async def stop(self, handle: Handle, process: str) -> Result[Background, RuntimeProblem]:
        return await self._ask(handle, "DELETE", _path(process), None, _background)

    @override
    async def open_terminal(
        self, handle: Handle, size: TerminalSize
    ) -> Result[SessionTerminal, RuntimeProblem]:
        content = msgspec.json.encode(beside_wire.Size(size.columns, size.rows))
        return await self._ask(handle, "POST", "/terminals", content, _terminal)

    @override
    async def terminals(self, handle: Handle) -> Result[Sequence[SessionTerminal], RuntimeProblem]:
        listed = await self._ask(handle, "GET", "/terminals", None, _terminals)
        return listed.map(tuple)

    @override
    async def end_terminal(self, handle: Handle, terminal: str) -> Result[None, RuntimeProblem]:
        path = f"/terminals/{quote(terminal, safe='')}"
        ended = await call(self._keeper, handle, "DELETE", path, None)
        return ended.map(lambda _: None)

    @override
    def look(self, handle: Handle, terminal: str) -> AbstractAsyncContextManager[TerminalLink]:
        return dialled(self._keeper, handle, terminal)

    async def _ask(
        self,
        handle: Handle,
        method: str,
        rest: str,
        content: bytes | None,
        decoder: "msgspec.json.Decoder[Value]",
    ) -> Result[Value, RuntimeProblem]:
        answer = await call(self._keeper, handle, method, rest, content)
        return answer if failed(answer) else decoded(answer.unwrap(), decoder)


def _path(process: str) -> str:
    return f"/processes/{quote(process, safe='')}"
