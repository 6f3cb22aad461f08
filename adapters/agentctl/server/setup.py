"""The setup of an instance's worktrees, before its agent starts: each until it succeeded once.

That it succeeded is noted beside the worktree's other files of administration, so that the note
goes with the worktree.
"""

from collections.abc import Callable, Mapping
from pathlib import Path

from adapters.agentctl import wire
from adapters.agentctl.server import worktree_files
from adapters.agentctl.server.scripts import Kind, Ran, Scripts, Where, sentence
from domain import script
from domain.event import Json
from domain.execution import ExecutorType
from domain.outcome import Failure, Result, Success
from ports.runtime import RuntimeCode, RuntimeProblem

__all__ = ("set_up",)


async def set_up(
    scripts: Scripts,
    asked: wire.Create,
    environment: Mapping[str, str],
    tell: Callable[[Json], None],
) -> Result[None, RuntimeProblem]:
    """Run what has not succeeded yet. A failure is a problem where the repository says so.

    The user's own checkout is not ours to set up.
    """
    if asked.executor == ExecutorType.LOCAL:
        return Success(None)
    for checkout in asked.checkouts:
        path = Path(asked.workspace) / checkout.folder
        admin = worktree_files.admin_of(path)
        astray = worktree_files.misplaced(path, Path(checkout.source))
        if admin is None or astray is not None or worktree_files.is_set_up(admin):
            continue
        wanted = checkout.scripts
        if wanted is not None and not script.is_blank(wanted.setup):
            where = Where(checkout, str(path), asked.workspace, environment)
            ran = await scripts(Kind.SETUP, where, tell)
            if not ran.succeeded and wanted.blocks:
                return Failure(_refusal(wanted.name, path, ran))
            if not ran.succeeded:
                continue
        worktree_files.note_set_up(admin)
    return Success(None)


def _refusal(name: str, path: Path, ran: Ran) -> RuntimeProblem:
    detail = f"{sentence(Kind.SETUP, name, ran)}\nThe worktree is kept: {path}"
    return RuntimeProblem(RuntimeCode.SETUP_FAILED, detail, ran.output)
