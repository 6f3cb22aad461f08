"""What the system promises about the branches of worktrees: their names and where they begin."""

_PAGE = "docs/specification/branches.md"

PROMISES: dict[str, tuple[str, str]] = {
    "branch:template": (
        f"{_PAGE}#names",
        "A repository's template names the branch of a task, always one that git takes.",
    ),
    "branch:template:refused": (
        f"{_PAGE}#names",
        "A template with an unknown placeholder, or that makes no name of a branch, is not saved.",
    ),
    "branch:template:stable": (
        f"{_PAGE}#names",
        "A branch keeps its name when the template or the title of its task changes later.",
    ),
    "branch:base": (
        f"{_PAGE}#where-they-begin",
        "A branch begins at the base that was asked for, else at the default branch.",
    ),
    "branch:base:missing": (
        f"{_PAGE}#where-they-begin",
        "Nothing stands in for a base that was asked for and is nowhere: the launch is refused.",
    ),
    "branch:base:told": (
        f"{_PAGE}#where-they-begin",
        "A fallback that is taken is told as an event, with what was asked and what was used.",
    ),
    "branch:base:renamed": (
        f"{_PAGE}#where-they-begin",
        "When the default branch of a remote has gone, its new one is asked for and used.",
    ),
}
