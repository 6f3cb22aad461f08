"""What the system promises about the kinds of connections whose credential is not stored."""

_PAGE = "docs/specification/connections.md"

PROMISES: dict[str, tuple[str, str]] = {
    "connection:gh:exact": (
        f"{_PAGE}#an-account-of-gh",
        "A named account is asked for by host and login, whichever account `gh` has active.",
    ),
    "connection:gh:cache": (
        f"{_PAGE}#an-account-of-gh",
        "Its token is kept in memory for five minutes, and dropped when the revision changes.",
    ),
    "connection:gh:no-expiry": (
        f"{_PAGE}#an-account-of-gh",
        "Git is told no expiry for the token of a named account.",
    ),
    "connection:app:proof": (
        f"{_PAGE}#a-github-app",
        "An App proves itself with its private key, for less than ten minutes.",
    ),
    "connection:app:token": (
        f"{_PAGE}#a-github-app",
        "A token is minted for one repository, and used until five minutes before its expiry.",
    ),
    "connection:app:stays": (
        f"{_PAGE}#a-github-app",
        "The key of an App is told to no agentctl, which redacts what git can be given.",
    ),
    "connection:validated": (
        f"{_PAGE}#validation",
        "A connection is replaced only after the forge was read with the new one.",
    ),
    "connection:described": (
        f"{_PAGE}#what-is-told",
        "What anyone may read of a connection needs no secret.",
    ),
}
