"""What the system promises about the identity of a repository."""

_PAGE = "docs/specification/repository-identity.md"

PROMISES: dict[str, tuple[str, str]] = {
    "repository:identity:spellings": (
        f"{_PAGE}#one-identity",
        "HTTPS, SSH and scp spellings of one repository, with or without `.git`, are one identity.",
    ),
    "repository:identity:parts": (
        f"{_PAGE}#one-identity",
        "The identity is the host as HTTPS has it, with a port unless it is 443, and the path.",
    ),
    "repository:identity:refusals": (
        f"{_PAGE}#what-is-refused",
        "A remote that git and a server could read differently is refused and never repaired.",
    ),
    "repository:identity:decoded-once": (
        f"{_PAGE}#decoding",
        "The path of a URL is percent-decoded once, and a path that git decoded is left alone.",
    ),
    "repository:identity:bounds": (
        f"{_PAGE}#bounds",
        "A remote has at most 2,048 characters and a host at most 253.",
    ),
}
