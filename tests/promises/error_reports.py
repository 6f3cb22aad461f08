"""What the system promises about errors that a page reports."""

_PAGE = "docs/specification/logs.md"

PROMISES: dict[str, tuple[str, str]] = {
    "reports:logged": (
        f"{_PAGE}#errors-of-the-page",
        "A report is one entry of the log, whatever it says.",
    ),
    "reports:refused": (
        f"{_PAGE}#errors-of-the-page",
        "What is no report, or is longer than 64 KiB, is refused and not logged.",
    ),
    "reports:rate": (
        f"{_PAGE}#errors-of-the-page",
        "Reports and their bytes are bounded, for one identity and for all; a refusal is free.",
    ),
    "reports:bounded": (
        f"{_PAGE}#errors-of-the-page",
        "Each field has a bound in bytes and is cut between characters.",
    ),
    "reports:url": (
        f"{_PAGE}#errors-of-the-page",
        "Of an address only scheme, host and path are kept.",
    ),
}
