"""The routes that bring a bundle into a workspace: a raw body, and a word that lets it appear."""

from collections.abc import AsyncIterator
from typing import Annotated, Any, Final

from litestar import Request, delete, post, put
from litestar.di import NamedDependency
from litestar.params import FromPath, HeaderParameter, JSONBody
from litestar.types import Receive

from adapters.agentctl import wire
from adapters.agentctl.server.bundle_shelf import Announced
from adapters.agentctl.server.hosted import Hosted
from adapters.agentctl.server.refusals import RefusedError, granted
from adapters.agentctl.server.routes import Core, Session, Task
from domain.bundle_path import BundleId, parse_id
from domain.outcome import failed
from ports.runtime import RuntimeCode, RuntimeProblem

__all__ = ("BUNDLE_ROUTES",)

Length = Annotated[int, HeaderParameter(name=wire.LENGTH_HEADER, ge=0)]
Crc = Annotated[str, HeaderParameter(name=wire.CRC_HEADER, pattern="^[0-9a-f]{8}$")]


@put("/api/v1/instances/{execution:str}/bundles/{bundle:str}", status_code=202)
async def stage(
    execution: FromPath[str],
    bundle: FromPath[str],
    task: Task,
    session: Session,
    length: Length,
    crc32: Crc,
    request: Request[Any, Any, Any],
    core: NamedDependency[Core],
) -> wire.Staged:
    owner = worked_in(core, execution, task, session)
    announced = Announced(named(bundle), length, int(crc32, 16))
    return granted(await core.bundles.stage(owner, announced, pieces(request.receive)))


@post("/api/v1/instances/{execution:str}/bundles/{bundle:str}/commit", status_code=200)
async def commit(
    execution: FromPath[str],
    bundle: FromPath[str],
    task: Task,
    session: Session,
    data: JSONBody[wire.Stage],
    core: NamedDependency[Core],
) -> wire.Delivered:
    owner = worked_in(core, execution, task, session)
    return granted(await core.bundles.commit(owner, named(bundle), data.stage))


@delete("/api/v1/instances/{execution:str}/bundles/{bundle:str}/stages/{token:str}")
async def discard(
    execution: FromPath[str],
    bundle: FromPath[str],
    token: FromPath[str],
    task: Task,
    session: Session,
    core: NamedDependency[Core],
) -> None:
    owner = core.find(execution, task, session)
    await core.bundles.discard(owner.handle, named(bundle), token)


def worked_in(core: Core, execution: str, task: str, session: str) -> Hosted:
    """The instance, while its agent is there."""
    owner = core.find(execution, task, session)
    if not owner.alive or owner.workspace is None:
        raise RefusedError(RuntimeProblem(RuntimeCode.NO_INSTANCE, "the agent has ended"))
    return owner


def named(text: str) -> BundleId:
    parsed = parse_id(text)
    if failed(parsed):
        raise RefusedError(RuntimeProblem(RuntimeCode.INVALID, "that is no id of a bundle"))
    return parsed.unwrap()


async def pieces(receive: Receive) -> AsyncIterator[bytes]:
    """The body as it comes. Raises `ConnectionError` when the client leaves before its end."""
    more = True
    while more:
        message = await receive()
        if message["type"] != "http.request":
            raise ConnectionError
        yield message["body"]
        more = message["more_body"]


BUNDLE_ROUTES: Final = (stage, commit, discard)
