"""What the system promises about bundles in the workspace of an agent."""

_PAGE = "docs/specification/diagnostic-bundles.md"

PROMISES: dict[str, tuple[str, str]] = {
    "bundle:deliver:whole": (
        f"{_PAGE}#in-a-workspace",
        "A bundle of at most 256 MiB appears whole, when it is committed and not before.",
    ),
    "bundle:deliver:refused": (
        f"{_PAGE}#in-a-workspace",
        "What has another length or CRC than announced, or is too large, leaves nothing.",
    ),
    "bundle:deliver:replaces-nothing": (
        f"{_PAGE}#in-a-workspace",
        "Nothing that is there is written over; the very same bundle may come again.",
    ),
    "bundle:deliver:identity": (
        f"{_PAGE}#in-a-workspace",
        "A stage is of use to the execution that it was made for alone.",
    ),
    "bundle:deliver:discard": (
        f"{_PAGE}#in-a-workspace",
        "A transfer that is cancelled, broken off or discarded leaves no stage.",
    ),
    "bundle:deliver:transports": (
        f"{_PAGE}#in-a-workspace",
        "agentctl takes a bundle over its unix socket and over TCP with its token alike.",
    ),
    "bundle:deliver:time": (
        f"{_PAGE}#in-a-workspace",
        "A transfer ends after 30 seconds without a byte, a stage after a minute.",
    ),
    "bundle:deliver:private": (
        f"{_PAGE}#in-a-workspace",
        "A bundle is 0600 in a folder of 0700.",
    ),
    "bundle:deliver:hidden": (
        f"{_PAGE}#in-a-workspace",
        "Git sees nothing of a bundle: before, while and after it comes, in any checkout.",
    ),
    "bundle:deliver:hostile": (
        f"{_PAGE}#in-a-workspace",
        "No link is followed: what stands in the way refuses the bundle, and stays as it is.",
    ),
    "bundle:deliver:full": (
        f"{_PAGE}#in-a-workspace",
        "On a full disk a bundle is refused, and nothing of it is left.",
    ),
    "bundle:deliver:killed": (
        f"{_PAGE}#in-a-workspace",
        "A killed agentctl leaves nothing half; the next one removes what it left.",
    ),
    "bundle:deliver:ended": (
        f"{_PAGE}#in-a-workspace",
        "Transfer, stage and bundles of an execution end with it; those of a task with the task.",
    ),
    "bundle:deliver:backup": (
        f"{_PAGE}#in-a-workspace",
        "No bundle is in what is kept of a worktree.",
    ),
}
