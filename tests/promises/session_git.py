"""What the system promises about the git of a session that a person works with."""

_PAGE = "docs/specification/session-git.md"

PROMISES: dict[str, tuple[str, str]] = {
    "session-git:look": (
        f"{_PAGE}#looking",
        "Status, diff and log tell what git knows, in bounds and without secrets.",
    ),
    "session-git:bounds": (
        f"{_PAGE}#looking",
        "What is over a bound is left out whole, and how much it was is said.",
    ),
    "session-git:change": (
        f"{_PAGE}#changing",
        "A change runs as the agent's own git would: with its configuration, hooks and helpers.",
    ),
    "session-git:arguments": (
        f"{_PAGE}#changing",
        "Paths stay inside the worktree and are taken literally; nothing becomes an option.",
    ),
    "session-git:discard": (
        f"{_PAGE}#discarding",
        "What is discarded is in a ref first, and what was written meanwhile stays.",
    ),
    "session-git:failures": (
        f"{_PAGE}#failures",
        "A change that git refuses has a code and git's or the hook's own words.",
    ),
    "session-git:instance": (
        f"{_PAGE}#the-instance",
        "A look needs a running agent; a change resumes a session that has none.",
    ),
    "session-git:repository": (
        f"{_PAGE}#several-repositories",
        "One of several repositories is named by its folder.",
    ),
    "session-git:person": (
        f"{_PAGE}#the-instance",
        "Only a person's requests are answered; to an agent there is no such session.",
    ),
}
