"""What is promised of the tokens that clients are given."""

_PAGE = "docs/specification/access-tokens.md"

PROMISES: dict[str, tuple[str, str]] = {
    "token:once": (
        f"{_PAGE}#what-a-token-is",
        "The text of a token is told once, and the store keeps only its digest.",
    ),
    "token:scopes": (
        f"{_PAGE}#what-a-token-is",
        "A token opens what its scopes say, and the rest is refused before its body is read.",
    ),
    "token:ends": (
        f"{_PAGE}#what-a-token-is",
        "A token that expired, was revoked or never was opens nothing, and all look the same.",
    ),
    "token:open": (
        f"{_PAGE}#what-a-token-is",
        "What a token holds open ends when it is revoked, and nothing else does.",
    ),
    "token:keepers": (
        f"{_PAGE}#who-keeps-them",
        "A token that was made can neither make, list nor revoke tokens.",
    ),
    "token:limits": (
        f"{_PAGE}#what-a-token-is",
        "A token that is limited to workspaces opens nothing beside them.",
    ),
    "token:command": (
        f"{_PAGE}#on-the-command-line",
        "`kandev token` makes a token that only reads unless told otherwise, and lists them.",
    ),
}
