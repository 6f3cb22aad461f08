"""Tasks, their plans and their conversations as resources: what the tools read, under addresses.

Everything is read by the functions of the tools, so that whoever may not read it there finds
nothing here either.
"""

from collections.abc import Sequence
from typing import Final, NamedTuple

from mcp_types import Resource, ResourceTemplate, TextResourceContents

from adapters.mcp import reading
from adapters.mcp.addresses import TEMPLATES, Place, What, address, parse
from adapters.mcp.answers import TaskSummary
from adapters.mcp.arguments import (
    GetConversation,
    GetTask,
    ListTasks,
    ListWorkspaces,
)
from adapters.mcp.backend import Backend
from adapters.mcp.cursors import Cursor
from adapters.mcp.planning import get_plan
from adapters.mcp.problems import ToolProblem
from domain.access import NotFound
from domain.outcome import Failure, Result, Success, failed
from domain.principal import Principal
from domain.tool_bounds import MAX_CONVERSATION, MAX_LISTED_SESSIONS, MAX_LISTED_TASKS

__all__ = ("OFFERED_TEMPLATES", "Page", "listed", "read")

JSON: Final = "application/json"
MARKDOWN: Final = "text/markdown"

OFFERED_TEMPLATES: Final = [
    ResourceTemplate(
        uri_template=template, name=name, title=title, description=description, mime_type=mime
    )
    for template, (name, title, description, mime) in zip(
        TEMPLATES,
        (
            ("task", "A task", "A task with its prompt, as get_task_kandev gives it.", JSON),
            ("task_plan", "The plan of a task", "The text of the plan of a task.", MARKDOWN),
            (
                "conversation",
                "A conversation",
                "What was said in a session, oldest first; `after` is where the page before ended.",
                JSON,
            ),
        ),
        strict=True,
    )
]


class Page(NamedTuple):
    resources: list[Resource]
    following: str | None


async def listed(backend: Backend, principal: Principal, cursor: Cursor) -> Page:
    """Tasks of one workspace with what there is of each, and where to go on."""
    workspace, after = cursor
    while True:
        if not after:
            found = (
                await reading.workspaces(
                    backend, principal, ListWorkspaces(limit=1, after=workspace or None)
                )
            ).unwrap()
            if not found.workspaces:
                return Page([], None)
            workspace = found.workspaces[0].id
        tasks = await reading.tasks(
            backend,
            principal,
            ListTasks(workspace_id=workspace, limit=MAX_LISTED_TASKS, after=after or None),
        )
        rows = [] if failed(tasks) else tasks.unwrap().tasks
        if rows:
            resources = [each for task in rows for each in await of_task(backend, principal, task)]
            more = rows[-1].id if len(rows) == MAX_LISTED_TASKS else ""
            return Page(resources, f"{workspace}/{more}")
        after = ""


async def of_task(backend: Backend, principal: Principal, task: TaskSummary) -> Sequence[Resource]:
    """The task, its plan if it has one, and the newest of its conversations."""
    asked = GetTask(task_id=task.id)
    plan = await get_plan(backend, principal, asked)
    sessions = await reading.sessions(backend, principal, asked)
    newest = [] if failed(sessions) else sessions.unwrap().sessions
    newest = sorted(newest, key=lambda each: each.created_at)[-MAX_LISTED_SESSIONS:]
    return [
        described(Place(What.TASK, task.id), task.title, JSON),
        *(
            [described(Place(What.PLAN, task.id), plan.unwrap().title, MARKDOWN)]
            if not failed(plan)
            else []
        ),
        *(
            described(
                Place(What.CONVERSATION, task.id, each.id), f"{task.title}: {each.agent}", JSON
            )
            for each in newest
        ),
    ]


def described(place: Place, title: str, mime: str) -> Resource:
    uri = address(place)
    return Resource(uri=uri, name=uri.removeprefix("kandev://"), title=title, mime_type=mime)


async def read(
    backend: Backend, principal: Principal, uri: str
) -> Result[TextResourceContents, ToolProblem]:
    place = parse(uri)
    if place is None:
        return Failure(NotFound("resource"))
    text = await text_at(backend, principal, place)
    if failed(text):
        return text
    mime = MARKDOWN if place.what is What.PLAN else JSON
    return Success(TextResourceContents(uri=uri, text=text.unwrap(), mime_type=mime))


async def text_at(backend: Backend, principal: Principal, place: Place) -> Result[str, ToolProblem]:
    match place.what:
        case What.TASK:
            task = await reading.task(backend, principal, GetTask(task_id=place.task))
            return task.map(lambda each: each.model_dump_json())
        case What.PLAN:
            plan = await get_plan(backend, principal, GetTask(task_id=place.task))
            return plan.map(lambda each: each.content)
        case What.CONVERSATION:
            asked = GetConversation(
                task_id=place.task,
                session_id=place.session or "",
                after=place.after,
                limit=MAX_CONVERSATION,
            )
            conversation = await reading.conversation(backend, principal, asked)
            return conversation.map(lambda each: each.model_dump_json())
