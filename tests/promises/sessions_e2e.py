"""What a person sees of sessions and of the demonstration, through whole processes."""

_PAGE = "docs/specification/sessions.md"

PROMISES: dict[str, tuple[str, str]] = {
    "session:killed:any-step": (
        f"{_PAGE}#survival",
        "Whichever process is killed at whichever step, nothing is lost, left or stuck.",
    ),
    "demo:checked-by-looking": (
        "docs/specification/demonstration.md",
        "The demonstration does the main job on real parts and checks each claim by looking.",
    ),
    "demo:ambient-certificates": (
        "docs/specification/demonstration.md",
        "A certificate bundle that the host sets does not hide the authority of a connection.",
    ),
    "session:worktree": (
        f"{_PAGE}#worktree",
        "An agent works in a worktree on a branch of its own; the user's checkout stays as it is.",
    ),
    "session:permission": (
        f"{_PAGE}#permission",
        "What an agent asks is answered once, by one of the options or by none.",
    ),
    "session:cancel": (
        f"{_PAGE}#turns",
        "A cancelled turn ends once, as cancelled, and a new prompt works afterwards.",
    ),
    "session:busy": (
        f"{_PAGE}#turns",
        "One turn at a time: a second prompt is refused and changes nothing.",
    ),
    "session:stop-whole": (
        f"{_PAGE}#stop",
        "Stopping ends the agent and every process that it started, wherever it went.",
    ),
    "session:resume": (
        f"{_PAGE}#resume",
        "A resumed session loads its conversation and works on in its worktree.",
    ),
    "session:lost-context": (
        f"{_PAGE}#resume",
        "A conversation that cannot be loaded is begun anew, and the session says so.",
    ),
    "session:crash": (
        f"{_PAGE}#turns",
        "An agent that ends in a turn gives the turn one ending, and can be resumed.",
    ),
    "session:killed-host": (
        f"{_PAGE}#survival",
        "An agentctl that is killed loses no event and leaves no agent, also while nobody looks.",
    ),
    "session:frozen": (
        f"{_PAGE}#survival",
        "What stands still and goes on, as when a machine sleeps, ends its turn once and whole.",
    ),
    "session:survives": (
        f"{_PAGE}#survival",
        "A turn outlives the control plane; each of its events is stored once, in order.",
    ),
}
