"""What the system promises about the files of a session that a person works with."""

_PAGE = "docs/specification/session-files.md"

PROMISES: dict[str, tuple[str, str]] = {
    "session-files:look": (
        f"{_PAGE}#looking",
        "Directories, files and matches are told in bounds, and what is left out is said.",
    ),
    "session-files:content": (
        f"{_PAGE}#contents",
        "A content is text only where it can be nothing else, and its bytes otherwise.",
    ),
    "session-files:write": (
        f"{_PAGE}#writing",
        "A write happens whole or not at all, and only over the content that it names.",
    ),
    "session-files:inside": (
        f"{_PAGE}#inside",
        "No path and no link leads out of the worktree, or into git's own files.",
    ),
    "session-files:person": (
        f"{_PAGE}#the-instance",
        "Only a person's requests are answered; a look starts nothing, a write may.",
    ),
}
