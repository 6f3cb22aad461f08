"""What the system promises about terminals of a session."""

_PAGE = "docs/specification/terminals.md"

PROMISES: dict[str, tuple[str, str]] = {
    "terminal:open": (
        f"{_PAGE}#opening",
        "A terminal has the user's shell, where the agent works.",
    ),
    "terminal:size": (
        f"{_PAGE}#opening",
        "A terminal has 1 to 1000 columns and rows, which a viewer can change.",
    ),
    "terminal:environment": (
        f"{_PAGE}#opening",
        "A shell has the environment of the agent, of which no answer holds a value.",
    ),
    "terminal:bound": (
        f"{_PAGE}#opening",
        "Eight terminals of a session are open at once; sixteen viewers look at one.",
    ),
    "terminal:ensured": (
        f"{_PAGE}#opening",
        "A terminal is opened in the session's instance, which is started where none runs.",
    ),
    "terminal:visible": (
        f"{_PAGE}#opening",
        "Only a person opens, sees and ends the terminals of a session.",
    ),
    "terminal:stream": (
        f"{_PAGE}#looking",
        "A viewer's WebSocket carries what is typed and shown as bytes, and says the rest as text.",
    ),
    "terminal:door": (
        f"{_PAGE}#looking",
        "A page of another origin, or whoever has no token, sees no terminal.",
    ),
    "terminal:viewers": (
        f"{_PAGE}#looking",
        "Every viewer is shown the same; one who cannot keep up is told how much is gone.",
    ),
    "terminal:history": (
        f"{_PAGE}#looking",
        "The last 256 KiB are the first thing that a viewer is shown.",
    ),
    "terminal:redacted": (
        f"{_PAGE}#looking",
        "A secret that is written in one piece is masked.",
    ),
    "terminal:end": (
        f"{_PAGE}#ending",
        "A terminal ends with its jobs: hung up, left by its shell, or with the agent.",
    ),
}
