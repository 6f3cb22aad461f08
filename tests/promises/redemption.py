"""What a redemption promises while the world changes around it."""

_PAGE = "docs/specification/credentials.md"

PROMISES: dict[str, tuple[str, str]] = {
    "lease:renewed": (
        f"{_PAGE}#capabilities",
        "A lease that is gone is issued anew from the capability, once a request.",
    ),
    "lease:not-renewed": (
        f"{_PAGE}#capabilities",
        "A capability helps nobody whom the live state does not entitle.",
    ),
    "lease:side-by-side": (
        f"{_PAGE}#capabilities",
        "Leases of one execution do not end each other.",
    ),
    "lease:asked-twice": (
        f"{_PAGE}#leases",
        "What changes while the secret is resolved is refused.",
    ),
    "lease:transient": (
        f"{_PAGE}#leases",
        "A failure that may pass revokes nothing.",
    ),
    "lease:secret-kept": (
        f"{_PAGE}#secrets",
        "An opened secret is kept for five seconds at most, and for its revision only.",
    ),
}
