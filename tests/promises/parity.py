"""What the system promises about how a new worktree differs from a fresh checkout."""

_PAGE = "docs/specification/parity.md"

PROMISES: dict[str, tuple[str, str]] = {
    "parity:told": (
        f"{_PAGE}#what-is-compared",
        "How a new worktree differs from a fresh checkout is told as an event, once.",
    ),
    "parity:bound": (
        f"{_PAGE}#the-event",
        "The first 20 names of a difference are told, each cut at 255 characters, all counted.",
    ),
    "parity:hooks": (
        f"{_PAGE}#what-is-repaired",
        "Hooks in a folder of which git sees no file are copied; others are told alone.",
    ),
}
