"""What the system promises about explaining the git of a session."""

_PAGE = "docs/specification/explain.md"

PROMISES: dict[str, tuple[str, str]] = {
    "explain:git:entries": (
        f"{_PAGE}#the-list",
        "Each entry is shown with its position, its layer and what it does, and no secret.",
    ),
    "explain:git:command": (
        f"{_PAGE}#explaining-the-git-of-a-session",
        "The command prints a table that ends with what stays open, or one object, from the server.",
    ),
    "explain:git:visible": (
        f"{_PAGE}#explaining-the-git-of-a-session",
        "A session is explained to whom it belongs, while its agent runs; to others it is not there.",
    ),
    "explain:git:channels": (
        f"{_PAGE}#open-channels",
        "The ways around managed access are looked for, in files and remotes too, when asked.",
    ),
    "explain:git:unseen": (
        f"{_PAGE}#open-channels",
        "A checkout that could not be looked at is named: nothing is taken for closed unseen.",
    ),
}
