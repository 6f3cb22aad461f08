"""What bad input and bad luck come to, and what `kandev run` promises."""

_FAILURES = "docs/specification/failures.md"
_RUN = "docs/specification/command-line.md"

PROMISES: dict[str, tuple[str, str]] = {
    "failure:agent": (
        f"{_FAILURES}#agents",
        "An agent that is unknown, absent or fails at its start gives a code and leaves nothing.",
    ),
    "failure:noise": (
        f"{_FAILURES}#agents",
        "An agent that prints lines that are not the protocol's works; the lines are kept.",
    ),
    "failure:base": (
        f"{_FAILURES}#repositories",
        "A base branch that is missing is named, and no worktree is left.",
    ),
    "failure:dirty": (
        f"{_FAILURES}#repositories",
        "Changes that are not committed stop a launch unless it is told to leave them behind.",
    ),
    "failure:clone": (
        f"{_FAILURES}#repositories",
        "A repository that cannot be cloned makes no row and leaves no folder.",
    ),
    "failure:token": (
        f"{_FAILURES}#connections",
        "A token that the forge refuses leaves the old connection as it is.",
    ),
    "failure:disk": (
        f"{_FAILURES}#the-disk",
        "A full disk is said with a code, and nothing of what was begun is left.",
    ),
    "failure:start": (
        f"{_FAILURES}#the-server",
        "A server that cannot start says what failed, why and what to do, with a code.",
    ),
    "serve:interrupt": (
        f"{_RUN}#kandev-serve",
        "Ctrl+C ends the server, its sessions and agentctl.",
    ),
    "serve:terminate": (
        f"{_RUN}#kandev-serve",
        "SIGTERM ends the server and leaves its sessions to be found again.",
    ),
    "serve:killed": (
        f"{_RUN}#kandev-serve",
        "A server that is killed loses neither a running turn nor an event.",
    ),
    "serve:streams": (
        f"{_RUN}#command-line",
        "Standard output carries data only.",
    ),
    "run:alone": (
        f"{_RUN}#kandev-run",
        "A run without a server starts what it needs and ends it.",
    ),
    "run:server": (f"{_RUN}#kandev-run", "A run uses the home's server when one runs."),
    "run:scripts": (
        f"{_RUN}#kandev-run",
        "A run may bring its repository's scripts, which are stored.",
    ),
    "run:leaves-others": (
        f"{_RUN}#kandev-run",
        "A run ends only what it started; agents that outlived an earlier server work on.",
    ),
    "run:failure": (
        f"{_RUN}#kandev-run",
        "A run that fails says why on standard error, without a traceback.",
    ),
    "run:interrupt": (
        f"{_RUN}#kandev-run",
        "Ctrl+C cancels the turn, and the run ends with 130 and nothing left.",
    ),
}
