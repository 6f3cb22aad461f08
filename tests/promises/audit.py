"""What is promised of the audit log."""

_PAGE = "docs/specification/audit.md"

PROMISES: dict[str, tuple[str, str]] = {
    "audit:told": (
        f"{_PAGE}#what-it-has",
        "A deed and its entry are stored together, or neither is.",
    ),
    "audit:append-only": (
        f"{_PAGE}#what-it-has",
        "The database refuses to change an entry; it goes by its age alone.",
    ),
    "audit:readers": (
        f"{_PAGE}#who-reads-it",
        "Each reads their own deeds and their workspaces', administrators the installation's.",
    ),
    "audit:secrets": (
        f"{_PAGE}#what-it-has",
        "The secrets that an execution is given are named, and no value is in any entry.",
    ),
    "audit:export": (
        f"{_PAGE}#who-reads-it",
        "The log is exported as JSON lines, and the export is an entry itself.",
    ),
}
