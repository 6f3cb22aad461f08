"""What the system promises about setup and cleanup scripts."""

_PAGE = "docs/specification/scripts.md"

PROMISES: dict[str, tuple[str, str]] = {
    "script:placeholder:quoted": (
        f"{_PAGE}#placeholders",
        "A placeholder becomes one complete word of the shell, whatever the value contains.",
    ),
    "script:placeholder:once": (
        f"{_PAGE}#placeholders",
        "A script is expanded in one pass; what a value contains is not expanded.",
    ),
    "script:placeholder:fragment": (
        f"{_PAGE}#placeholders",
        "Only a declared fragment of script is used without quotes.",
    ),
    "script:placeholder:unknown": (
        f"{_PAGE}#placeholders",
        "An unknown name stays as it is written and is reported.",
    ),
    "script:blank": (
        f"{_PAGE}#running",
        "A script of blank lines and comments is not run.",
    ),
    "script:output": (
        f"{_PAGE}#running",
        "The last 10 KiB of output are stored, cut between characters.",
    ),
}
