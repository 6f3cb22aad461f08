"""What the system promises about the programs that it starts."""

_PAGE = "docs/specification/processes.md"

PROMISES: dict[str, tuple[str, str]] = {
    "processes:start:exactly": (
        f"{_PAGE}#starting",
        "A program starts with exactly the environment, the directory and the pipes it is given.",
    ),
    "processes:start:session": (
        f"{_PAGE}#starting",
        "A program leads a session and a process group of its own.",
    ),
    "processes:start:failures": (
        f"{_PAGE}#starting",
        "Why a program cannot start is told apart, and no process or descriptor remains.",
    ),
    "processes:output:order": (
        f"{_PAGE}#input-and-output",
        "Output arrives in order, at most 256 KiB at a time, and its end is said once.",
    ),
    "processes:output:pause": (
        f"{_PAGE}#input-and-output",
        "While its output is paused a program waits on a full pipe, and nothing is lost.",
    ),
    "processes:output:held-open": (
        f"{_PAGE}#input-and-output",
        "An output that a descendant keeps open is given up one second after the program ended.",
    ),
    "processes:input:full": (
        f"{_PAGE}#input-and-output",
        "Writing waits while the pipe is full, and fails once nobody can read it.",
    ),
    "processes:stop:polite": (
        f"{_PAGE}#ending",
        "Stopping closes standard input first; a program that heeds it gets no signal.",
    ),
    "processes:stop:escalates": (
        f"{_PAGE}#ending",
        "A program that ignores the end of its input and SIGTERM is killed within the bounds.",
    ),
    "processes:stop:family": (
        f"{_PAGE}#ending",
        "Stopping ends every descendant, those that left the group or the session included.",
    ),
    "processes:stop:orphans": (
        f"{_PAGE}#ending",
        "Orphans that carry the execution of a program end with it, and nobody else's do.",
    ),
    "processes:identity": (
        f"{_PAGE}#ending",
        "A process is named by pid and start time: a reused pid is never signalled.",
    ),
    "processes:terminal": (
        f"{_PAGE}#terminals",
        "A program has a terminal of its own, of a size that can change, on any event loop.",
    ),
    "processes:terminal:end": (
        f"{_PAGE}#terminals",
        "A terminal is hung up, and ends with all the jobs on it.",
    ),
}
