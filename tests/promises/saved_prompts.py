"""What is promised of prompts that are saved."""

_PAGE = "docs/specification/saved-prompts.md"

PROMISES: dict[str, tuple[str, str]] = {
    "prompt:text": (
        f"{_PAGE}#what-a-prompt-has",
        "A prompt is kept only when its arguments fill its places; each place is filled once.",
    ),
    "prompt:kept": (
        f"{_PAGE}#over-rest",
        "A prompt is made, shown, listed, changed by who saw its newest version, and removed.",
    ),
    "prompt:command": (
        f"{_PAGE}#on-the-command-line",
        "`kandev prompt` keeps the prompts of a workspace: what is named changes, the rest stays.",
    ),
    "prompt:offered": (
        f"{_PAGE}#for-clients-of-the-protocol",
        "A client of the protocol lists and fills the prompts of the workspaces that it sees.",
    ),
    "prompt:changes": (
        f"{_PAGE}#for-clients-of-the-protocol",
        "A client that asked to hear of it is told when a prompt came, went or changed.",
    ),
}
