"""Routes of a session's queue: prompts that wait for the turns before them."""

from datetime import datetime

import msgspec
from litestar import Controller, delete, get, post, put
from litestar.di import NamedDependency
from litestar.params import FromPath, JSONBody, SkipValidation

from adapters.http.api import Api
from adapters.http.problems import accepted
from adapters.http.sessions import found
from domain.identity import QueuedId, SessionId
from domain.principal import Principal
from domain.prompt_queue import MAX_QUEUED, QueuedPrompt, waiting

__all__ = ("Queue",)


class QueuedText(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    text: str


class Order(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Every prompt that waits, the next first."""

    prompt_ids: list[str]


class QueuedBody(msgspec.Struct, frozen=True):
    """`urgent`: it goes however the turn before it ends."""

    id: str
    text: str
    queued_at: datetime
    urgent: bool

    @classmethod
    def of(cls, prompt: QueuedPrompt) -> "QueuedBody":
        return cls(prompt.id, prompt.text, prompt.queued_at, prompt.urgent)


class QueueBody(msgspec.Struct, frozen=True):
    """What waits, the next first; `max` prompts have room."""

    prompts: list[QueuedBody]
    max: int


class Queue(Controller):
    path = "/api/v1/sessions/{session_id:str}/queue"
    tags = ("sessions",)

    @get()
    async def show(
        self,
        session_id: FromPath[str],
        api: NamedDependency[Api],
        principal: NamedDependency[SkipValidation[Principal]],
    ) -> QueueBody:
        return await shown(api, principal, session_id)

    @post(status_code=202)
    async def add(
        self,
        session_id: FromPath[str],
        data: JSONBody[QueuedText],
        api: NamedDependency[Api],
        principal: NamedDependency[SkipValidation[Principal]],
    ) -> QueuedBody:
        """Put a prompt behind the others; an agent that has nothing to do gets it at once."""
        outcome = await api.queue(principal, SessionId(session_id), data.text)
        return QueuedBody.of(accepted(outcome))

    @put()
    async def reorder(
        self,
        session_id: FromPath[str],
        data: JSONBody[Order],
        api: NamedDependency[Api],
        principal: NamedDependency[SkipValidation[Principal]],
    ) -> QueueBody:
        order = [QueuedId(each) for each in data.prompt_ids]
        accepted(await api.change_queue.reorder(principal, SessionId(session_id), order))
        return await shown(api, principal, session_id)

    @put("/{prompt_id:str}")
    async def edit(
        self,
        session_id: FromPath[str],
        prompt_id: FromPath[str],
        data: JSONBody[QueuedText],
        api: NamedDependency[Api],
        principal: NamedDependency[SkipValidation[Principal]],
    ) -> QueuedBody:
        session, prompt = SessionId(session_id), QueuedId(prompt_id)
        edited = await api.change_queue.edit(principal, session, prompt, data.text)
        return QueuedBody.of(accepted(edited))

    @delete("/{prompt_id:str}")
    async def remove(
        self,
        session_id: FromPath[str],
        prompt_id: FromPath[str],
        api: NamedDependency[Api],
        principal: NamedDependency[SkipValidation[Principal]],
    ) -> None:
        session, prompt = SessionId(session_id), QueuedId(prompt_id)
        accepted(await api.change_queue.remove(principal, session, prompt))

    @post("/{prompt_id:str}/send", status_code=202)
    async def send(
        self,
        session_id: FromPath[str],
        prompt_id: FromPath[str],
        api: NamedDependency[Api],
        principal: NamedDependency[SkipValidation[Principal]],
    ) -> QueueBody:
        """Send it before all others; a turn that runs is cancelled, and it goes at its end."""
        session, prompt = SessionId(session_id), QueuedId(prompt_id)
        accepted(await api.send_queued(principal, session, prompt))
        return await shown(api, principal, session_id)


async def shown(api: Api, principal: Principal, session_id: str) -> QueueBody:
    session = await found(api, principal, session_id)
    async with api.store.read() as state:
        queue = await state.queue(session.id)
    return QueueBody([QueuedBody.of(each) for each in waiting(queue)], MAX_QUEUED)
