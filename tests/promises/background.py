"""What the system promises about background commands of a session."""

_PAGE = "docs/specification/background-commands.md"

PROMISES: dict[str, tuple[str, str]] = {
    "background:start": (
        f"{_PAGE}#starting",
        "A command runs by the shell in a folder of the workspace, beside the agent.",
    ),
    "background:start:refused": (
        f"{_PAGE}#starting",
        "A command that is none, or whose folder leads out of the workspace, is refused.",
    ),
    "background:environment": (
        f"{_PAGE}#starting",
        "A command has the environment of the agent, of which no answer holds a value.",
    ),
    "background:output": (
        f"{_PAGE}#output",
        "Output is read in order from any byte on, without secrets, no character cut in two.",
    ),
    "background:output:bound": (
        f"{_PAGE}#output",
        "The last 2 MiB are kept, and a reader sees what is gone.",
    ),
    "background:stop": (
        f"{_PAGE}#ending",
        "A command is over with all its descendants, stopped or by itself.",
    ),
    "background:end": (
        f"{_PAGE}#ending",
        "Commands end with the instance, what escaped them included.",
    ),
    "background:orphans": (
        f"{_PAGE}#ending",
        "What a killed agentctl left is ended at its next start.",
    ),
    "background:bound": (
        f"{_PAGE}#starting",
        "Sixteen commands of a session run at once; 32 are told of.",
    ),
    "background:visible": (
        f"{_PAGE}#starting",
        "Only a person starts, sees and stops the commands of a session.",
    ),
    "background:ensured": (
        f"{_PAGE}#starting",
        "A command is started in the session's instance, which is started where none runs.",
    ),
}
