"""What profiles and the variables of repositories promise."""

_PAGE = "docs/specification/profiles.md"

PROMISES: dict[str, tuple[str, str]] = {
    "profile:kept": (
        f"{_PAGE}#what-a-profile-has",
        "A profile is stored in its workspace under a name of its own, and comes back equal.",
    ),
    "profile:secret": (
        f"{_PAGE}#secrets",
        "A secret is sealed and known to every sink before it is stored, and never comes back.",
    ),
    "profile:secret:kept": (
        f"{_PAGE}#secrets",
        "A secret that is named without a value keeps the one that is stored.",
    ),
    "profile:version": (
        f"{_PAGE}#changing",
        "Whoever saw an older version changes nothing.",
    ),
    "profile:refused": (
        f"{_PAGE}#what-is-refused",
        "Nothing is stored of a profile that could not be used.",
    ),
    "profile:bounds": (
        f"{_PAGE}#what-is-refused",
        "Variables, secrets, models and system prompts are held to their bounds.",
    ),
    "profile:mcp": (
        f"{_PAGE}#mcp-servers",
        "An MCP server takes every value that it needs from the variables of its profile.",
    ),
    "profile:command": (
        "docs/specification/command-line.md#kandev-profile",
        "The command line keeps profiles, and takes secrets from its standard input alone.",
    ),
    "profile:model": (
        f"{_PAGE}#model-and-system-prompt",
        "An agent works with the model of its profile, or it is said that it does not offer it.",
    ),
    "profile:prompt": (
        f"{_PAGE}#model-and-system-prompt",
        "The system prompt of a profile is given with each conversation.",
    ),
    "profile:start": (
        f"{_PAGE}#starting-with-profiles",
        "Launch and resume give an agent the layers of its profiles and its repositories, in order.",
    ),
    "profile:start:missing": (
        f"{_PAGE}#starting-with-profiles",
        "A missing secret stops a start before anything runs; the layer and the variable are told.",
    ),
    "profile:start:conflict": (
        f"{_PAGE}#starting-with-profiles",
        "Two layers that differ about a secret stop a start; both are told, and no value.",
    ),
    "profile:start:deleted": (
        f"{_PAGE}#starting-with-profiles",
        "A profile that was deleted stops the next start, which can name another one.",
    ),
}
