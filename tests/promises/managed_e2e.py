"""What managed access promises as a whole, seen through whole processes."""

_PAGE = "docs/specification/managed-git.md"

PROMISES: dict[str, tuple[str, str]] = {
    "managed:secret-nowhere": (
        f"{_PAGE}#where-secrets-are",
        "During a session no token and no lease is anywhere but in the memory of two processes.",
    ),
    "managed:real-gh": (
        f"{_PAGE}#where-secrets-are",
        "The machine's gh asks with the lease's token, and no other process shows it.",
    ),
    "managed:fails-closed": (
        f"{_PAGE}#failing-closed",
        "Whatever of ours is taken away, no ambient credential reaches the wire in its place.",
    ),
    "managed:side-by-side": (
        f"{_PAGE}#the-tools",
        "Beside a managed instance others of the same agentctl find the machine's own programs only.",
    ),
    "managed:submodule": (
        f"{_PAGE}#failing-closed",
        "A host that the workspace has no connection for keeps whatever helper the user has.",
    ),
    "managed:large-files": (
        f"{_PAGE}#failing-closed",
        "git-lfs pushes and fetches with the lease, and stops when its secret is refused.",
    ),
    "managed:own-configuration": (
        f"{_PAGE}#failing-closed",
        "A task writes neither into the user's configuration of git nor into their repository's.",
    ),
    "managed:killed-agentctl": (
        f"{_PAGE}#agentctl-and-the-control-plane",
        "A session whose agentctl was killed is over, its leases are gone, and resumed it pushes again.",
    ),
    "managed:restart": (
        f"{_PAGE}#failing-closed",
        "A session pushes again after the control plane was killed and started anew.",
    ),
}
