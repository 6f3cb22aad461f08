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
    "branch:existing": (
        f"{_PAGE}#branches-that-exist",
        (
            "A task can work on a branch that exists, brought forward to the remote's where that "
            "has all of it; one that is nowhere is refused."
        ),
    ),
    "branch:existing:elsewhere": (
        f"{_PAGE}#branches-that-exist",
        "A branch that is checked out elsewhere is refused, and everything stays as it was.",
    ),
    "branch:pull-request": (
        f"{_PAGE}#pull-requests",
        "A task can begin at the head of a pull request, fetched with the workspace's credential.",
    ),
    "branch:pull-request:missing": (
        f"{_PAGE}#pull-requests",
        "A pull request that the remote does not have is named, and nothing starts.",
    ),
    "branch:start:refused": (
        f"{_PAGE}#pull-requests",
        "More than one of base, branch and pull request is refused before there is a task.",
    ),
    "branch:base:renamed": (
        f"{_PAGE}#where-they-begin",
        "When the default branch of a remote has gone, its new one is asked for and used.",
    ),
}
