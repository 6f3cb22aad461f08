"""What the system promises about the ledger of leases, and about the end of leases."""

_PAGE = "docs/specification/ledger.md"

PROMISES: dict[str, tuple[str, str]] = {
    "ledger:entry": (
        f"{_PAGE}#what-is-written-down",
        "Every issue, redemption, refusal and revocation is written down, without a value.",
    ),
    "ledger:no-value": (
        f"{_PAGE}#what-is-written-down",
        "No entry and no export holds a token or a lease.",
    ),
    "ledger:written-first": (
        f"{_PAGE}#what-is-written-down",
        "A credential is given only when its redemption is written down.",
    ),
    "ledger:filter": (
        f"{_PAGE}#reading-it",
        "Entries are listed in order, a page at a time, by whichever fields are named.",
    ),
    "ledger:export": (
        f"{_PAGE}#reading-it",
        "What matches is exported as JSON lines and as CSV, from the API and the command line.",
    ),
    "ledger:push": (
        f"{_PAGE}#pushes",
        "A push that is seen is matched with its redemption; one without is outside the lease.",
    ),
    "ledger:push:whose": (
        f"{_PAGE}#pushes",
        "Whose a push was is told from what worktrees had checked out; of several it is ambiguous.",
    ),
    "ledger:push:tally": (
        f"{_PAGE}#pushes",
        "A session shows its pushes next to the snapshot, and says what could not be seen.",
    ),
    "ledger:prune": (
        f"{_PAGE}#how-long-it-is-kept",
        "Entries older than 180 days are removed, and their numbers are not given again.",
    ),
    "lease:end:task": (
        f"{_PAGE}#what-ends-leases",
        "A task that is archived or deleted, or whose workspace is, loses its leases at once.",
    ),
    "lease:end:repository": (
        f"{_PAGE}#what-ends-leases",
        "A repository that leaves the task takes its leases with it, and a resume gives it none.",
    ),
}
