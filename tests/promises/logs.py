"""What the system promises about its log files."""

_PAGE = "docs/specification/logs.md"

PROMISES: dict[str, tuple[str, str]] = {
    "logs:day": (
        f"{_PAGE}#days",
        "A file is that of one UTC day, also when the clock is set back.",
    ),
    "logs:day:marker": (
        f"{_PAGE}#days",
        "The day of the active file is what its marker says, else when it was modified.",
    ),
    "logs:bound": (f"{_PAGE}#days", "A day holds exactly 256 MiB at most."),
    "logs:retention": (
        f"{_PAGE}#retention",
        "Today and the two days before are kept; only our own older files are removed.",
    ),
    "logs:evidence": (
        f"{_PAGE}#retention",
        "The evidence of the backend is three names, newest first.",
    ),
    "logs:rollover": (
        f"{_PAGE}#rollover",
        "A day's file is made by renaming, or appended to within its bound, never overwritten.",
    ),
    "logs:rollover:crash": (
        f"{_PAGE}#rollover",
        "A crash at any byte of a rollover is finished with no byte lost or doubled.",
    ),
    "logs:rollover:journal": (
        f"{_PAGE}#rollover",
        "A journal that cannot be read or does not fit is put aside and never followed.",
    ),
}
