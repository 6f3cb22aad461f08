"""What the system promises about the home of an installation."""

_PAGE = "docs/specification/home.md"

PROMISES: dict[str, tuple[str, str]] = {
    "home:layout:private": (
        f"{_PAGE}#directories",
        "A home and its directories are made for their owner only, and a home that was open is closed.",
    ),
    "home:layout:refused": (
        f"{_PAGE}#directories",
        "A home that is no directory, not ours or not writable is refused with the place and the reason.",
    ),
    "home:file:whole": (
        f"{_PAGE}#private-files",
        "A private file appears under its name with all of its content or not at all, and never over another.",
    ),
    "home:file:closed": (
        f"{_PAGE}#private-files",
        "A private file that others may read, that is a link, no file, not ours or too long is refused.",
    ),
    "home:token:made-once": (
        f"{_PAGE}#private-files",
        "The token for clients is made at the first start and read afterwards; one of another shape is refused.",
    ),
    "home:lock:one-server": (
        f"{_PAGE}#one-server",
        "A second server on a home is told which process holds it and where it listens.",
    ),
    "home:lock:freed": (
        f"{_PAGE}#one-server",
        "A home is free as soon as its server has ended, however it ended.",
    ),
    "home:sockets:private": (
        f"{_PAGE}#sockets",
        "Sockets live in a directory of the user's own, 0700 at each level, never reached through a link.",
    ),
    "home:sockets:bound": (
        f"{_PAGE}#sockets",
        "The path of a socket has at most 107 bytes, and a place without room for one is not used.",
    ),
    "doctor:home": (
        "docs/specification/command-line.md#kandev-doctor-kandev-agents",
        "What is wrong with the database, the key or the clock is told, with what to do about it.",
    ),
    "doctor:orphans": (
        "docs/specification/command-line.md#kandev-doctor-kandev-agents",
        "Worktrees, processes and sockets that belong to nobody any more are told.",
    ),
    "doctor:postgresql": (
        "docs/specification/command-line.md#kandev-doctor-kandev-agents",
        "A PostgreSQL database is looked into beside its server, and what is wrong is told with a fix.",
    ),
    "doctor:unchanged": (
        "docs/specification/command-line.md#kandev-doctor-kandev-agents",
        "An examination changes nothing.",
    ),
    "service:unit": (
        "docs/specification/command-line.md#kandev-service",
        "A user service runs the server with the tools that were found, and ends it alone.",
    ),
    "service:no-secret": (
        "docs/specification/command-line.md#kandev-service",
        "No secret is written into a unit; what the service lacks of the shell is named.",
    ),
    "service:others": (
        "docs/specification/command-line.md#kandev-service",
        "A unit that somebody else made is left alone.",
    ),
}
