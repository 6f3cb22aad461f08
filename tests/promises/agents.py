"""What the system promises about the agents that it knows."""

_PAGE = "docs/specification/agents.md"

PROMISES: dict[str, tuple[str, str]] = {
    "agents:list": (
        f"{_PAGE}#which-agents-there-are",
        "The public agents, the scripted one and the user's are listed, in this order.",
    ),
    "agents:installed": (
        f"{_PAGE}#what-is-installed",
        "Whether an agent is installed is looked up on the search path each time it is asked.",
    ),
    "agents:scripted": (
        f"{_PAGE}#which-agents-there-are",
        "The scripted agent ships, and starts by the command that is listed.",
    ),
    "agents:named": (
        f"{_PAGE}#agents-of-your-own",
        "A user names agents in `agents.toml`; a file with a mistake is refused whole.",
    ),
    "agents:real": (
        f"{_PAGE}#what-was-tried",
        "Claude Code, Codex, Gemini CLI and OpenCode run as their authors publish them.",
    ),
}
