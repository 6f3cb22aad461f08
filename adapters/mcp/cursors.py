"""Where a list goes on that runs through the workspaces of a principal, one after another."""

from typing import NamedTuple

from domain.tool_bounds import MAX_ID

__all__ = ("Cursor", "parse_cursor")


class Cursor(NamedTuple):
    """Behind a row of a workspace; or, without a row, behind the workspace."""

    workspace: str
    after: str


def parse_cursor(text: str | None) -> Cursor | None:
    """The beginning when there is no text; None for what is no cursor of ours."""
    if text is None:
        return Cursor("", "")
    workspace, slash, after = text.partition("/")
    fits = slash and len(workspace) <= MAX_ID and len(after) <= MAX_ID
    return Cursor(workspace, after) if fits else None
