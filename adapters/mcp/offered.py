"""What the server offers to be read, beside its tools, for the principal of each request."""

from collections.abc import Awaitable, Callable
from secrets import token_hex
from typing import Any, TypeVar

import structlog
from mcp.server.context import ServerRequestContext
from mcp.shared.exceptions import MCPError
from mcp_types import (
    INTERNAL_ERROR,
    INVALID_PARAMS,
    GetPromptRequestParams,
    GetPromptResult,
    ListPromptsResult,
    ListResourcesResult,
    ListResourceTemplatesResult,
    PaginatedRequestParams,
    ReadResourceRequestParams,
    ReadResourceResult,
)

from adapters.mcp import prompts, resources
from adapters.mcp.backend import Backend
from adapters.mcp.cursors import Cursor, parse_cursor
from adapters.mcp.problems import told
from domain.outcome import failed
from domain.principal import Principal
from ports.store import StoreUnavailable

__all__ = ("Offered",)

Context = ServerRequestContext[Any, Any]
Asked = PaginatedRequestParams | None
Given = TypeVar("Given")

log = structlog.get_logger()


class Offered:
    """A refusal is an error of the protocol: what does not exist has no other answer."""

    def __init__(self, backend: Backend, principal: Callable[[Context], Principal]) -> None:
        self._backend = backend
        self._principal = principal

    async def list_resources(self, context: Context, asked: Asked) -> ListResourcesResult:
        page = await served(
            resources.listed(self._backend, self._principal(context), cursor_of(asked))
        )
        return ListResourcesResult(resources=page.resources, next_cursor=page.following)

    async def list_templates(self, _: Context, __: Asked) -> ListResourceTemplatesResult:
        return ListResourceTemplatesResult(resource_templates=resources.OFFERED_TEMPLATES)

    async def read_resource(
        self, context: Context, asked: ReadResourceRequestParams
    ) -> ReadResourceResult:
        found = await served(resources.read(self._backend, self._principal(context), asked.uri))
        if failed(found):
            raise MCPError(INVALID_PARAMS, told(found.failure()))
        return ReadResourceResult(contents=[found.unwrap()])

    async def list_prompts(self, context: Context, asked: Asked) -> ListPromptsResult:
        page = await served(
            prompts.listed(self._backend, self._principal(context), cursor_of(asked))
        )
        return ListPromptsResult(prompts=page.prompts, next_cursor=page.following)

    async def get_prompt(self, context: Context, asked: GetPromptRequestParams) -> GetPromptResult:
        found = await served(
            prompts.filled(
                self._backend, self._principal(context), asked.name, asked.arguments or {}
            )
        )
        if failed(found):
            raise MCPError(INVALID_PARAMS, told(found.failure()))
        return found.unwrap()


async def served(answering: Awaitable[Given]) -> Given:
    """The answer; what nobody expected is logged, and only its number is told."""
    try:
        return await answering
    except StoreUnavailable as unavailable:
        text = f"{unavailable.fault.value}: the database cannot serve. Try again."
        raise MCPError(INTERNAL_ERROR, text) from None
    except Exception:
        number = token_hex(4)
        log.exception("offer_failed", number=number)
        text = f"internal_error: something unexpected; the log has it as {number}."
        raise MCPError(INTERNAL_ERROR, text) from None


def cursor_of(asked: Asked) -> Cursor:
    cursor = parse_cursor(asked.cursor if asked else None)
    if cursor is None:
        raise MCPError(INVALID_PARAMS, "invalid_cursor: give the cursor of the page before.")
    return cursor
