"""What the system promises about task credentials: policy, snapshot, leases and git's protocol."""

_PAGE = "docs/specification/credentials.md"

PROMISES: dict[str, tuple[str, str]] = {
    "credentials:policy:order": (
        f"{_PAGE}#the-decision",
        "A token set for the launch wins, then the policy executor, then the workspace.",
    ),
    "credentials:policy:ambient": (
        f"{_PAGE}#the-decision",
        "A token in the host's process or an agent's defaults is ambient and overrides nothing.",
    ),
    "credentials:policy:unserved": (
        f"{_PAGE}#the-decision",
        "A managed workspace without a connection for its repositories inherits and guesses nobody.",
    ),
    "credentials:policy:inactive": (
        f"{_PAGE}#the-decision",
        "A connection that exists and cannot be used stops the launch; nothing stands in for it.",
    ),
    "credentials:policy:managed": (
        f"{_PAGE}#managed-access",
        "Managed access has a scope for each repository and a reset before its helper for each host.",
    ),
    "credentials:policy:untouched": (
        f"{_PAGE}#the-decision",
        "Inherited and overridden sessions get nothing of ours in their environment.",
    ),
    "credentials:policy:removed": (
        f"{_PAGE}#what-is-taken-away",
        "Under managed access ambient tokens and askpass programs are taken away, and it is said.",
    ),
    "credentials:policy:stale": (
        f"{_PAGE}#what-is-taken-away",
        "What an earlier managed access left in any layer is cleared first, under every policy.",
    ),
    "credentials:policy:described": (
        f"{_PAGE}#connections",
        "A policy is described by mode, methods, known actors and statuses, without a secret.",
    ),
    "credentials:contract:whole": (
        f"{_PAGE}#the-broker-contract",
        "The three names of the broker contract are all present and valid, or all absent.",
    ),
    "credentials:contract:scopes": (
        f"{_PAGE}#the-broker-contract",
        "Scopes travel as a JSON array of repository_id, host and path, at most 64.",
    ),
    "credentials:snapshot:shape": (
        f"{_PAGE}#the-snapshot",
        "A snapshot has the fields of version 1 and leaves out what it does not know.",
    ),
    "credentials:snapshot:load": (
        f"{_PAGE}#the-snapshot",
        "A stored snapshot is read back equal; whatever else is stored is unknown and never raises.",
    ),
    "credentials:snapshot:actor": (
        f"{_PAGE}#the-snapshot",
        "The actor is runtime_selected unless the workspace's connection tells who it is.",
    ),
    "credentials:connection:username": (
        f"{_PAGE}#connections",
        "Each kind of connection has a rule for the user name beside its token.",
    ),
    "credentials:connection:checked": (
        f"{_PAGE}#connections",
        "Host, login, secret and certificate of a connection are checked before a forge is asked.",
    ),
    "credentials:lease:token": (
        f"{_PAGE}#leases",
        "A lease is kdl_ and 32 random bytes, and only its hash is stored.",
    ),
    "credentials:lease:issue": (
        f"{_PAGE}#leases",
        "A lease is issued only for what the live state allows, at most 10,000 a workspace.",
    ),
    "credentials:lease:redeem": (
        f"{_PAGE}#leases",
        "A lease is redeemed only while every part it is bound to still holds.",
    ),
    "credentials:lease:codes": (
        f"{_PAGE}#leases",
        "Refusals are a closed set of stable codes, and a transient one revokes nothing.",
    ),
    "credentials:capability:claims": (
        f"{_PAGE}#capabilities",
        "A capability says its scope and its issue time, and only the exact version is understood.",
    ),
    "credentials:capability:wire": (
        f"{_PAGE}#capabilities",
        "A capability travels as kdc_ and one printable word that names the key it opens with.",
    ),
    "credentials:capability:reissue": (
        f"{_PAGE}#capabilities",
        "A capability earns a new lease for the same scope while it stands, for 30 days.",
    ),
    "credentials:loop:stop": (
        f"{_PAGE}#loops",
        "A secret refused and asked for again three times within a minute ends with quit=1.",
    ),
    "credentials:loop:good": (
        f"{_PAGE}#loops",
        "Erasing a good secret, or asking for it often, does nothing.",
    ),
    "credentials:protocol:read": (
        f"{_PAGE}#gits-protocol",
        "A request on the socket is read as git reads it.",
    ),
    "credentials:protocol:malformed": (
        f"{_PAGE}#gits-protocol",
        "A request that git would cut or refuse is refused.",
    ),
    "credentials:protocol:bounds": (
        f"{_PAGE}#gits-protocol",
        "A line has at most 65,535 bytes and a request 262,144.",
    ),
    "credentials:protocol:match": (
        f"{_PAGE}#gits-protocol",
        "Only https, the exact host and port, and the path as git decoded it are answered.",
    ),
    "credentials:protocol:answer": (
        f"{_PAGE}#gits-protocol",
        "An answer has user name, password and expiry, each on one line, and redirects nothing.",
    ),
    "credentials:protocol:quit": (
        f"{_PAGE}#gits-protocol",
        "A refusal makes git stop before any other helper, askpass or terminal is asked.",
    ),
}
