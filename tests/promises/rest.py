"""What the REST surface promises to every client."""

_PAGE = "docs/specification/rest-api.md"

PROMISES: dict[str, tuple[str, str]] = {
    "rest:system-health": (
        f"{_PAGE}#health",
        "An administrator reads over REST what `kandev doctor` finds, each with its fix.",
    ),
    "rest:proxy": (
        f"{_PAGE}#behind-a-proxy",
        "What was forwarded is refused, but from the declared proxy with the declared address.",
    ),
    "rest:door": (
        f"{_PAGE}#the-door",
        "What a page of another site could have sent is refused before its body is read.",
    ),
    "rest:token": (
        f"{_PAGE}#the-door",
        "Every route but health wants the bearer token, in its header and nowhere else.",
    ),
    "rest:problems": (
        f"{_PAGE}#problems",
        "Every refusal is problem details with a stable code and what to do, and no secret.",
    ),
    "rest:store": (
        f"{_PAGE}#problems",
        "A store that cannot serve is said to be so, with its own code.",
    ),
    "rest:bound": (
        f"{_PAGE}#requests",
        "A prompt at its bound is taken however it is escaped; a larger body is refused.",
    ),
    "rest:pages": (
        f"{_PAGE}#requests",
        "A list that grows has at most 100 rows, and continues behind a given id.",
    ),
    "rest:one-of": (
        f"{_PAGE}#requests",
        "A request that contradicts itself is refused as a whole.",
    ),
    "rest:launch": (
        f"{_PAGE}#launching",
        "A session whose first prompt was not taken is answered all the same, and says why.",
    ),
    "rest:settings": (
        f"{_PAGE}#settings",
        "The policy is in every answer and optional in an update.",
    ),
    "rest:no-secret": (
        f"{_PAGE}#problems",
        "No answer shows a token of a connection, a lease or a capability.",
    ),
    "rest:events:shared": (
        f"{_PAGE}#events",
        "What several readers wait for is read and encoded once for all of them.",
    ),
    "rest:events:farewell": (
        f"{_PAGE}#events",
        "When the server stops, a stream of events ends as a whole answer and holds nothing up.",
    ),
    "rest:events": (
        f"{_PAGE}#events",
        "A reader that comes back with the last id it saw misses nothing and sees nothing twice.",
    ),
    "rest:openapi": (
        f"{_PAGE}#the-document",
        "The OpenAPI document is valid, and says which problems an operation can answer with.",
    ),
    "rest:conforms": (
        f"{_PAGE}#the-document",
        "Whatever is sent, the answer is one that the document allows, and never a failure.",
    ),
    "rest:metrics": (
        f"{_PAGE}#metrics",
        "`/metrics` counts what is stored by its state and what was answered by its status.",
    ),
}
