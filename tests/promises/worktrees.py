"""What the system promises about worktrees that are removed and brought back."""

_PAGE = "docs/specification/worktrees.md"

PROMISES: dict[str, tuple[str, str]] = {
    "worktrees:removal:keeps": (
        f"{_PAGE}#what-is-kept",
        (
            "Before a worktree is removed its tracked, staged and untracked files are kept in a "
            "ref, unless it is clean and a remote has all its commits."
        ),
    ),
    "worktrees:removal:refused": (
        f"{_PAGE}#what-is-refused",
        (
            "A locked, foreign or unregistered directory, one that holds a repository of its own "
            "and one that is written to stay as they are, with one safe thing to do."
        ),
    ),
    "worktrees:restore": (
        f"{_PAGE}#bringing-it-back",
        "A restore brings back the files, the index and the branch of what was kept last.",
    ),
    "worktrees:own": (
        f"{_PAGE}#before-every-turn",
        "A turn is refused where the worktree is gone, is another or is on the main branch.",
    ),
    "worktrees:detach": (
        f"{_PAGE}#tasks",
        (
            "A repository that leaves a task takes its worktree with it after the task's agents "
            "ended; where that is refused, or a session began meanwhile, it stays in the task."
        ),
    ),
    "worktrees:task": (
        f"{_PAGE}#tasks",
        (
            "Archiving or deleting a task removes its worktrees after its agents ended; where that "
            "is refused the task is archived and nothing of it is deleted."
        ),
    ),
}
