"""The first exchange with an agent: the version of the protocol, then a conversation.

A conversation that the agent cannot load is replaced by a new one, and that is said. An agent that
is gone is not asked for a new one: what it would have loaded is still good.
"""

from collections.abc import Sequence
from dataclasses import asdict

from adapters.agentctl import wire
from adapters.agentctl.server.conversations import Conversation, Introduction, Wanted
from adapters.agentctl.server.hearing import Hearing
from adapters.agentctl.server.tool_servers import Servers
from domain.event import EventKind, Json
from domain.mcp_server import GivenMcpServer
from domain.outcome import Failure, Result, Success, failed
from ports.runtime import RuntimeCode, RuntimeProblem

__all__ = ("greet",)


async def greet(
    conversation: Conversation,
    hearing: Hearing,
    directory: str,
    wanted: Wanted,
    version: str,
    removed: tuple[str, ...],
    servers: Servers,
) -> Result[wire.Created, RuntimeProblem]:
    """Introduce ourselves and load what is wanted, or begin a new conversation in `directory`."""
    introduced = await conversation.initialize(version)
    if failed(introduced):
        return introduced
    introduction = introduced.unwrap()
    told, left_out = servers.of(introduction.capabilities)
    for each in left_out:
        body: Json = {"status": "warning", "code": "mcp_server", **asdict(each)}
        hearing.record(EventKind.SESSION_STATUS, body)
    lost: str | None = None
    if wanted.acp_session is not None:
        loaded = await _load(conversation, hearing, directory, wanted, introduction, told)
        if not failed(loaded):
            chosen = await _choose(conversation, hearing, wanted.acp_session, wanted.model)
            return chosen.map(
                lambda session: _created(hearing, session, True, None, introduction, removed)
            )
        if loaded.failure().code is not RuntimeCode.AGENT_REFUSED:
            return loaded
        lost = loaded.failure().detail
    begun = await conversation.begin(directory, told, wanted.system_prompt)
    if failed(begun):
        return begun
    chosen = await _choose(conversation, hearing, begun.unwrap(), wanted.model)
    return chosen.map(
        lambda session: _created(hearing, session, False, lost, introduction, removed)
    )


async def _choose(
    conversation: Conversation, hearing: Hearing, session: str, model: str | None
) -> Result[str, RuntimeProblem]:
    """The session, with the model if the agent offers it; what it does instead is told."""
    if model is None:
        return Success(session)
    chosen = await conversation.choose_model(session, model)
    if failed(chosen):
        return chosen
    refused = chosen.unwrap()
    if refused is not None:
        body: Json = {"status": "warning", "code": "model", "model": model, "reason": refused}
        hearing.record(EventKind.SESSION_STATUS, body)
    return Success(session)


async def _load(
    conversation: Conversation,
    hearing: Hearing,
    directory: str,
    wanted: Wanted,
    introduction: Introduction,
    servers: Sequence[GivenMcpServer],
) -> Result[None, RuntimeProblem]:
    if wanted.acp_session is None or not introduction.loads_sessions:
        detail = "the agent cannot load an earlier conversation"
        return Failure(RuntimeProblem(RuntimeCode.AGENT_REFUSED, detail))
    hearing.begin_replay()
    return await conversation.load(directory, wanted.acp_session, servers, wanted.system_prompt)


def _created(
    hearing: Hearing,
    session: str,
    resumed: bool,
    lost: str | None,
    introduction: Introduction,
    removed: tuple[str, ...],
) -> wire.Created:
    status = "resumed" if resumed else "new"
    body: Json = {"status": status, "acp_session": session, "lost_context": lost}
    hearing.record(EventKind.SESSION_STATUS, body)
    return wire.Created(session, resumed, lost, list(removed), introduction.capabilities)
