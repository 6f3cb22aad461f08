"""The MCP server: it lists the tools and calls them for whoever the connection belongs to."""

from collections.abc import Callable, Mapping
from secrets import token_hex
from typing import Any, Final

import structlog
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel.server import Server
from mcp.shared.exceptions import MCPError
from mcp_types import (
    INVALID_PARAMS,
    CallToolRequestParams,
    CallToolResult,
    ListToolsResult,
    PaginatedRequestParams,
    TextContent,
)

from adapters.mcp.backend import Backend
from adapters.mcp.following import listening
from adapters.mcp.offered import Offered
from adapters.mcp.tools import AnyTool, Progress
from domain.outcome import failed
from domain.principal import Principal
from ports.store import StoreUnavailable

__all__ = ("NAME", "Context", "make_server")

NAME: Final = "kandev-mcp"

INSTRUCTIONS: Final = (
    "Kandev runs coding agents on tasks, each in its own git worktree. A workspace holds"
    " repositories and tasks, a task has sessions, a session is one agent's conversation. Tasks,"
    " their plans and conversations are resources too; the prompts are what users saved."
)

Context = ServerRequestContext[Any, Any]

log = structlog.get_logger()


def make_server(
    backend: Backend,
    tools: Mapping[str, AnyTool[Any, Any]],
    principal: Callable[[Context], Principal],
) -> Server[Any]:
    """`principal` tells from a request's connection for whom it is; no argument can."""
    offered = Offered(backend, principal)

    async def list_tools(_: Context, __: PaginatedRequestParams | None) -> ListToolsResult:
        return ListToolsResult(tools=[each.described() for each in tools.values()])

    async def call_tool(context: Context, asked: CallToolRequestParams) -> CallToolResult:
        tool = tools.get(asked.name)
        if tool is None:
            raise MCPError(INVALID_PARAMS, "There is no such tool; list the tools.")
        try:
            outcome = await tool(backend, principal(context), asked.arguments, progress_of(context))
        except StoreUnavailable as unavailable:
            return refused(f"{unavailable.fault.value}: the database cannot serve. Try again.")
        except Exception:
            number = token_hex(4)
            log.exception("tool_failed", number=number, tool=tool.name)
            return refused(f"internal_error: something unexpected; the log has it as {number}.")
        if failed(outcome):
            return refused(outcome.failure())
        given = outcome.unwrap()
        return CallToolResult(
            content=[TextContent(type="text", text=given.model_dump_json())],
            structured_content=given.model_dump(mode="json"),
        )

    return Server(
        NAME,
        version=backend.version,
        title="Kandev",
        instructions=INSTRUCTIONS,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
        on_list_resources=offered.list_resources,
        on_list_resource_templates=offered.list_templates,
        on_read_resource=offered.read_resource,
        on_list_prompts=offered.list_prompts,
        on_get_prompt=offered.get_prompt,
        on_subscriptions_listen=listening(backend, principal),
    )


def progress_of(context: Context) -> Progress:
    """Tells the client how far its call is, as it asked for it; else nobody."""
    told = 0

    async def tell(message: str) -> None:
        nonlocal told
        told += 1
        await context.session.report_progress(told, None, message)

    return tell


def refused(text: str) -> CallToolResult:
    return CallToolResult(content=[TextContent(type="text", text=text)], is_error=True)
