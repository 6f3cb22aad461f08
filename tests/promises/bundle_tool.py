"""What the system promises to an agent that asks for a bundle."""

_PAGE = "docs/specification/diagnostic-bundles.md"

PROMISES: dict[str, tuple[str, str]] = {
    "bundle:tool:delivers": (
        f"{_PAGE}#for-an-agent",
        "An agent gets a bundle of its task's owner into its own workspace.",
    ),
    "bundle:tool:order": (
        f"{_PAGE}#for-an-agent",
        "Owner, task and session are checked, in this order, before a job or an execution is asked.",
    ),
    "bundle:tool:stale": (
        f"{_PAGE}#for-an-agent",
        "An execution that was replaced or ended meanwhile gets nothing, and its successor neither.",
    ),
    "bundle:tool:waits": (
        f"{_PAGE}#for-an-agent",
        "Who asks is told how far it is, and has a bundle or a refusal within five minutes.",
    ),
    "bundle:tool:cancelled": (
        f"{_PAGE}#for-an-agent",
        "A job ends when the last who asked for it has left.",
    ),
    "bundle:tool:schema": (
        f"{_PAGE}#for-an-agent",
        "The tool takes a source and nothing else; other arguments are an error before a job.",
    ),
    "bundle:tool:result": (
        f"{_PAGE}#for-an-agent",
        "The answer has both paths, state, sources, files, omissions, losses and warnings.",
    ),
    "bundle:tool:real": (
        f"{_PAGE}#for-an-agent",
        "An agent finds its own task in the log of the bundle, which goes when the agent ends.",
    ),
    "bundle:tool:many": (
        f"{_PAGE}#for-an-agent",
        "Many callers of one owner share one job; each workspace gets the whole file or nothing.",
    ),
    "bundle:tool:busy": (
        f"{_PAGE}#for-an-agent",
        "Beside another active job of the owner an agent is told when to ask again.",
    ),
    "bundle:tool:fresh": (
        f"{_PAGE}#for-an-agent",
        "The age of the evidence is told.",
    ),
    "bundle:tool:refused": (
        f"{_PAGE}#for-an-agent",
        "Why a bundle was not delivered is told with a stable code.",
    ),
}
