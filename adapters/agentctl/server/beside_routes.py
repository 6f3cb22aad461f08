"""The routes of what runs beside an agent. No answer holds a value of an environment."""

from typing import Annotated, Final

from litestar import delete, get, post
from litestar.di import NamedDependency
from litestar.params import FromPath, JSONBody, QueryParameter

from adapters.agentctl import beside_wire
from adapters.agentctl.server.refusals import granted
from adapters.agentctl.server.routes import Core, Session, Task
from domain.background import Background, BackgroundOutput

__all__ = ("BESIDE_ROUTES",)


@post("/api/v1/instances/{execution:str}/processes", status_code=201)
async def start_process(
    execution: FromPath[str],
    task: Task,
    session: Session,
    data: JSONBody[beside_wire.Command],
    core: NamedDependency[Core],
) -> Background:
    beside = granted(core.find(execution, task, session).beside())
    return granted(await beside.run(data.command, data.folder))


@get("/api/v1/instances/{execution:str}/processes")
async def processes(
    execution: FromPath[str], task: Task, session: Session, core: NamedDependency[Core]
) -> list[Background]:
    beside = granted(core.find(execution, task, session).beside())
    return list(beside.backgrounds.all())


@get("/api/v1/instances/{execution:str}/processes/{process_id:str}/output")
async def process_output(
    execution: FromPath[str],
    process_id: FromPath[str],
    task: Task,
    session: Session,
    core: NamedDependency[Core],
    after: Annotated[int, QueryParameter(ge=0)] = 0,
) -> BackgroundOutput:
    beside = granted(core.find(execution, task, session).beside())
    return granted(beside.backgrounds.output(process_id, after))


@delete("/api/v1/instances/{execution:str}/processes/{process_id:str}", status_code=200)
async def stop_process(
    execution: FromPath[str],
    process_id: FromPath[str],
    task: Task,
    session: Session,
    core: NamedDependency[Core],
) -> Background:
    beside = granted(core.find(execution, task, session).beside())
    return granted(await beside.backgrounds.stop(process_id))


BESIDE_ROUTES: Final = (start_process, processes, process_output, stop_process)
