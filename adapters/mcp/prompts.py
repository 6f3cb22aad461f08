"""Saved prompts of workspaces as prompts of the protocol.

A name is one of a workspace. Who sees several workspaces is offered `name.workspace_id`, which
anybody may use; the name alone is enough while one of them alone has it.
"""

from collections.abc import Mapping
from typing import NamedTuple

from mcp_types import GetPromptResult, Prompt, PromptArgument, PromptMessage, TextContent

from adapters.mcp import reading
from adapters.mcp.arguments import ListWorkspaces
from adapters.mcp.backend import Backend
from adapters.mcp.cursors import Cursor
from adapters.mcp.problems import ToolProblem
from domain.access import NotFound
from domain.identity import WorkspaceId
from domain.outcome import Failure, Result, Success, failed
from domain.principal import Principal
from domain.saved_prompt import SavedPrompt
from domain.tool_bounds import MAX_ROWS

__all__ = ("Page", "filled", "listed")


class Page(NamedTuple):
    prompts: list[Prompt]
    following: str | None


async def listed(backend: Backend, principal: Principal, cursor: Cursor) -> Page:
    """Prompts of one workspace, and where to go on."""
    several = len(await workspaces(backend, principal, "", 2)) > 1
    workspace, after = cursor
    while True:
        if not after:
            beyond = await workspaces(backend, principal, workspace, 1)
            if not beyond:
                return Page([], None)
            workspace = beyond[0]
        found = await backend.saved_prompts.page(
            principal, WorkspaceId(workspace), after or None, MAX_ROWS
        )
        rows = [] if failed(found) else found.unwrap()
        if rows:
            more = rows[-1].id if len(rows) == MAX_ROWS else ""
            return Page([offered(each, full=several) for each in rows], f"{workspace}/{more}")
        after = ""


async def workspaces(
    backend: Backend, principal: Principal, after: str, limit: int
) -> list[WorkspaceId]:
    asked = ListWorkspaces(limit=limit, after=after or None)
    found = (await reading.workspaces(backend, principal, asked)).unwrap()
    return [WorkspaceId(each.id) for each in found.workspaces]


def offered(prompt: SavedPrompt, *, full: bool) -> Prompt:
    written = prompt.written
    return Prompt(
        name=f"{written.name}.{prompt.workspace}" if full else written.name,
        description=written.description or None,
        arguments=[
            PromptArgument(
                name=each.name, description=each.description or None, required=each.required
            )
            for each in written.arguments
        ],
    )


async def filled(
    backend: Backend, principal: Principal, name: str, given: Mapping[str, str]
) -> Result[GetPromptResult, ToolProblem]:
    """The text with the arguments in it, as a user would say it."""
    short, dot, workspace = name.partition(".")
    where = WorkspaceId(workspace) if dot else await only_one(backend, principal, short)
    if where is None:
        return Failure(NotFound("prompt"))
    found = await backend.saved_prompts.fill(principal, where, short, given)
    if failed(found):
        return found
    prompt, text = found.unwrap()
    message = PromptMessage(role="user", content=TextContent(type="text", text=text))
    return Success(
        GetPromptResult(description=prompt.written.description or None, messages=[message])
    )


async def only_one(backend: Backend, principal: Principal, name: str) -> WorkspaceId | None:
    """The workspace that has the prompt; None when none has, or several have."""
    having: list[WorkspaceId] = []
    after = ""
    while page := await workspaces(backend, principal, after, MAX_ROWS):
        async with backend.store.read() as state:
            having += [
                each for each in page if await state.saved_prompt_named(each, name) is not None
            ]
        after = page[-1]
    return having[0] if len(having) == 1 else None
