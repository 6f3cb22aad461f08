"""What the system promises about how it logs."""

_PAGE = "docs/specification/logs.md"

PROMISES: dict[str, tuple[str, str]] = {
    "sinks:shed": (
        f"{_PAGE}#sinks",
        "A full queue refuses what is new, and entries below a warning while there is room for one.",
    ),
    "sinks:bounds": (
        f"{_PAGE}#sinks",
        "A queue is bounded in entries and bytes, and an entry in bytes.",
    ),
    "sinks:counted": (
        f"{_PAGE}#sinks",
        "Every entry that is not written is counted once, by level and reason.",
    ),
    "sinks:told": (
        f"{_PAGE}#sinks",
        "When a loss is over, one line in the log says how many entries are missing.",
    ),
    "sinks:independent": (
        f"{_PAGE}#sinks",
        "A sink that stands still holds up neither the other nor who logs.",
    ),
    "sinks:drain": (
        f"{_PAGE}#sinks",
        "At the end what was taken is written, for two seconds at most.",
    ),
    "sinks:fatal": (
        f"{_PAGE}#sinks",
        "A failure that ends the process is the last entry of its log, cut to its end.",
    ),
    "sinks:agentctl": (
        f"{_PAGE}#sinks",
        "agentctl keeps bounded logs of its own; its standard error begins anew when it is long.",
    ),
    "sinks:redacted": (
        f"{_PAGE}#sinks",
        "No sink writes a registered value in any encoding, nor what has the shape of a secret.",
    ),
    "sinks:levels": (
        f"{_PAGE}#sinks",
        "The file takes `info` and more, standard error warnings and more, or what is set.",
    ),
    "sinks:day": (
        f"{_PAGE}#days",
        "At the end of a day its file is renamed, and none is overwritten.",
    ),
    "sinks:whole": (
        f"{_PAGE}#days",
        "A line is written whole or not at all.",
    ),
    "sinks:private": (
        f"{_PAGE}#days",
        "The folder is 0700 and a file 0600; a link in the place of a file is not followed.",
    ),
    "sinks:unwritable": (
        f"{_PAGE}#failures",
        "A log that cannot be written stops nothing, is said once and tried again.",
    ),
    "sinks:path": (
        f"{_PAGE}#sinks",
        "`kandev serve` says the absolute path of its log once, on standard error.",
    ),
}
