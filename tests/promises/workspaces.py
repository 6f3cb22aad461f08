"""What a workspace promises: its policy, its connections and its repositories."""

_PAGE = "docs/specification/workspaces.md"

PROMISES: dict[str, tuple[str, str]] = {
    "workspace:policy:default": (
        f"{_PAGE}#policy",
        "A new workspace is managed unless another policy is named.",
    ),
    "workspace:policy:unknown": (
        f"{_PAGE}#policy",
        "An unknown policy is refused, and what is stored stays.",
    ),
    "workspace:policy:copy": (
        f"{_PAGE}#policy",
        "A copy takes the policy, and neither a connection nor a secret.",
    ),
    "workspace:foreign": (
        f"{_PAGE}#owner-and-members",
        "What belongs to another user looks on every route like what is not there.",
    ),
    "workspace:members": (
        f"{_PAGE}#owner-and-members",
        "A member sees all that is in a workspace, from being taken in until being let go.",
    ),
    "workspace:owner-only": (
        f"{_PAGE}#owner-and-members",
        "Connections, policy, members and the end of a workspace are its owner's alone.",
    ),
    "workspace:command": (
        f"{_PAGE}#owner-and-members",
        "`kandev workspace` lists workspaces and members, takes somebody in and lets one go.",
    ),
    "workspace:connect:validated": (
        f"{_PAGE}#connections",
        "A token is tried before it is stored, and one that fails leaves what was there.",
    ),
    "workspace:connect:sealed": (
        f"{_PAGE}#connections",
        "A secret is stored sealed for its connection, and the redactor knows it first.",
    ),
    "workspace:connect:leases": (
        f"{_PAGE}#connections",
        "A connection that is replaced or removed takes its leases along in the same write.",
    ),
    "workspace:connect:revision": (
        f"{_PAGE}#connections",
        "A revision is never given twice, not even after a removal.",
    ),
    "workspace:repository": (
        f"{_PAGE}#repositories",
        "A repository is read before it is registered, and registered once.",
    ),
    "workspace:task": (
        f"{_PAGE}#tasks",
        "A task names repositories of its workspace, each once, and branches that can be.",
    ),
}
