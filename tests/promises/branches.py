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
}
