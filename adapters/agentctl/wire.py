"""What travels between the control plane and agentctl: both ends read and write these structs.

HTTP over a unix socket (loopback TCP where a tunnel needs it). Every route but `/health` and
`/api/v1/handshake` carries `Authorization: Bearer <session>`, derived by both ends from the key
that agentctl read from stdin and a nonce of each (`proof.py`). Every instance call also carries
`Kandev-Task` and `Kandev-Session`; a pair that is not the instance's own is answered like an
instance that does not exist.

    GET    /health                                        Health
    POST   /api/v1/handshake                              Hello -> Welcome
    GET    /api/v1/relay?epoch=N           WebSocket      Frame in both directions
    POST   /api/v1/worktrees/removal                      Worktrees -> list[Kept], or Refused
    POST   /api/v1/worktrees/restoration                  Worktrees -> list[Kept], or Refused
    POST   /api/v1/instances                              Create -> Created, or Refused
    POST   /api/v1/launches                               Create -> Event lines, then a LaunchEnd
    GET    /api/v1/instances                              list[Instance]
    DELETE /api/v1/instances/{execution}                  stop; 204
    DELETE /api/v1/instances/{execution}/log              release; 204
    POST   /api/v1/instances/{execution}/prompt           Prompt; 202
    POST   /api/v1/instances/{execution}/cancel           202
    POST   /api/v1/instances/{execution}/permissions/{id} Answer; 204
    GET    /api/v1/instances/{execution}/events?after=N   Event, one JSON object a line, follows
    POST   /api/v1/instances/{execution}/ack              Acknowledge; 204
    POST   /api/v1/instances/{execution}/credential-doctor  list[Examined] -> list[Diagnosis]
    POST   /api/v1/instances/{execution}/processes        Command -> domain.background, as it is
    GET    /api/v1/instances/{execution}/processes        list of domain.background, as it is
    GET    /api/v1/instances/{execution}/processes/{id}/output?after=N  likewise
    DELETE /api/v1/instances/{execution}/processes/{id}   likewise, once it has ended
    POST   /api/v1/instances/{execution}/terminals        Size -> domain.terminal, as it is
    GET    /api/v1/instances/{execution}/terminals        list of domain.terminal, as it is
    DELETE /api/v1/instances/{execution}/terminals/{id}   hang up; 204
    GET    /api/v1/instances/{execution}/terminals/{id}/stream  WebSocket: what is typed and shown
                                                          is bytes; `Resize`, `Lost`, `Ended` text
    GET    /api/v1/instances/{execution}/git-configuration  domain.git_configuration, as it is
    POST   /api/v1/instances/{execution}/git/{operation}?folder=F  its request -> GitAnswer
    POST   /api/v1/instances/{execution}/files/{operation}?folder=F  its request -> FileAnswer
    PUT    /api/v1/instances/{execution}/bundles/{id}     raw archive -> Staged; 202
    POST   /api/v1/instances/{execution}/bundles/{id}/commit  Stage -> Delivered
    DELETE /api/v1/instances/{execution}/bundles/{id}/stages/{stage}  204

A bundle is announced by `Kandev-Archive-Length` and `Kandev-Archive-Crc32` (8 hexadecimal digits).
"""

from typing import Any, Final

import msgspec

__all__ = (
    "CRC_HEADER",
    "LENGTH_HEADER",
    "PROTOCOL",
    "SESSION_HEADER",
    "SUPERSEDED",
    "TASK_HEADER",
    "Acknowledge",
    "Announced",
    "Answer",
    "AskRefused",
    "Checkout",
    "Cleanup",
    "Copy",
    "Create",
    "Created",
    "CredentialAnswer",
    "CredentialAsk",
    "Delivered",
    "Event",
    "Frame",
    "Health",
    "Hello",
    "Host",
    "Instance",
    "Kept",
    "Layer",
    "Lease",
    "Managed",
    "McpServer",
    "Prompt",
    "Refused",
    "Scripts",
    "Stage",
    "Staged",
    "ToolLine",
    "Welcome",
    "Worktrees",
)

PROTOCOL: Final = 1
"""The version of this protocol; both ends must speak the same."""

SUPERSEDED: Final = 4409
"""The code that the relay of an earlier control plane is closed with."""

TASK_HEADER: Final = "kandev-task"
SESSION_HEADER: Final = "kandev-session"
LENGTH_HEADER: Final = "kandev-archive-length"
CRC_HEADER: Final = "kandev-archive-crc32"


class Health(msgspec.Struct, frozen=True):
    status: str
    protocol: int
    version: str
    pid: int
    started: int
    capabilities: list[str]


class Announced(msgspec.Struct, frozen=True):
    """The one line that agentctl says on its stdout, once it listens at `socket`.

    `started` is its start time in clock ticks since boot (proc(5), field 22), `tcp` the port of the
    loopback that it listens on besides, when it was told to.
    """

    socket: str
    pid: int
    started: int
    tcp: int | None = None


class Hello(msgspec.Struct, frozen=True):
    """`nonce`: 32 random bytes of the client's, base64url."""

    protocol: int
    nonce: str


class Welcome(msgspec.Struct, frozen=True):
    """`proof` is HMAC-SHA-256 of the key over both nonces: the server knows the key."""

    nonce: str
    proof: str


class Layer(msgspec.Struct, frozen=True):
    name: str
    variables: dict[str, str]
    secrets: list[str] = []
    removes: list[str] = []


class Copy(msgspec.Struct, frozen=True):
    """What a new worktree is given (`domain.copy_files.CopyEntry`)."""

    pattern: str
    symlink: bool = False


class Scripts(msgspec.Struct, frozen=True):
    """What a repository has run in its worktrees; `blocks`: no agent starts after a failed setup.

    `name` and `branch` are the repository's name and default branch, for placeholders.
    """

    name: str
    branch: str
    setup: str = ""
    cleanup: str = ""
    blocks: bool = False


class Checkout(msgspec.Struct, frozen=True):
    """`fallbacks`: where the branch begins when `base` is not there, the first that is.

    An `existing` branch is brought forward to `base`.
    """

    repository: str
    source: str
    folder: str
    branch: str
    base: str
    copies: list[Copy] = []
    scripts: Scripts | None = None
    fallbacks: list[str] = []
    existing: bool = False


class Kept(msgspec.Struct, frozen=True):
    """What is or was kept of the worktree of a repository, in the ref of this name there."""

    repository: str
    ref: str


class Lease(msgspec.Struct, frozen=True):
    repository: str
    host: str
    path: str
    token: str
    capability: str


class Host(msgspec.Struct, frozen=True):
    """`certificate_authority` is PEM text, written to a file of the instance's."""

    host: str
    certificate_authority: str | None = None


class Managed(msgspec.Struct, frozen=True):
    """`accept_netrc`: launch also where `.netrc` could answer in place of a lease."""

    hosts: list[Host]
    leases: list[Lease]
    accept_netrc: bool = False


class Cleanup(msgspec.Struct, frozen=True):
    """The environment of cleanup scripts, as for an instance, without a lease."""

    session: str
    execution: str
    layers: list[Layer]
    hosts: list[Host]
    removes: list[str]


class Worktrees(msgspec.Struct, frozen=True):
    """The worktrees of a task that nobody works in; without `cleanup` no script is run.

    `several`: the task has others besides.
    """

    task: str
    workspace: str
    checkouts: list[Checkout]
    cleanup: Cleanup | None = None
    several: bool = False


class McpServer(msgspec.Struct, frozen=True):
    """A server of the profile's (`domain.mcp_server.GivenMcpServer`)."""

    name: str
    transport: str
    command: str
    arguments: list[str]
    environment: dict[str, str]
    url: str
    headers: dict[str, str]


class Create(msgspec.Struct, frozen=True):
    execution: str
    task: str
    session: str
    agent: str
    command: list[str]
    hard_stop: bool
    executor: str
    workspace: str
    checkouts: list[Checkout]
    layers: list[Layer]
    managed: Managed | None
    removes: list[str]
    acp_session: str | None
    approve_automatically: bool
    mcp_servers: list[McpServer] = []
    model: str | None = None
    system_prompt: str | None = None


class Created(msgspec.Struct, frozen=True):
    acp_session: str
    resumed: bool
    lost_context: str | None
    removed: list[str]
    capabilities: dict[str, Any]  # the agent's own JSON, passed on unread


class Refused(msgspec.Struct, frozen=True):
    """The body of every answer over 399; `code` is a `RuntimeCode`."""

    code: str
    detail: str
    stderr: str = ""


class Instance(msgspec.Struct, frozen=True):
    execution: str
    task: str
    session: str
    alive: bool
    turn_generation: int | None
    last: int


class Prompt(msgspec.Struct, frozen=True):
    generation: int
    text: str


class Answer(msgspec.Struct, frozen=True):
    option: str | None


class Acknowledge(msgspec.Struct, frozen=True):
    through: int


class Stage(msgspec.Struct, frozen=True):
    """Names a bundle that has arrived."""

    stage: str


class Staged(msgspec.Struct, frozen=True):
    """A bundle that has arrived, and waits to be committed under `stage`."""

    stage: str
    length: int


class Delivered(msgspec.Struct, frozen=True):
    """`path` from the agent's working directory, and the same on the machine."""

    path: str
    absolute_path: str


class Event(msgspec.Struct, frozen=True):
    """`at` is RFC 3339 in UTC."""

    n: int
    at: str
    kind: str
    generation: int | None
    body: msgspec.Raw


class Frame(msgspec.Struct, frozen=True):
    """A message on the relay.

    A request has a fresh `id`, the `kind` of capability asked for and the `execution` it is asked
    for; it is answered by one frame of kind `answer` or `refused` with the same id. A frame of kind
    `cancel` gives up on the request of its id. `register` (control plane to agentctl) carries
    values to redact and is not answered. A request may come again, under a new id, when its
    connection ended before the answer.

    Requests of kind `mcp` go both ways and carry a `ToolLine`; the answer, whose body is null, says
    that the line was taken, and the next one of the connection follows it. They never come again.
    """

    id: str
    kind: str
    execution: str
    body: msgspec.Raw = msgspec.Raw(b"null")


class CredentialAsk(msgspec.Struct, frozen=True):
    """The body of a `credential` request; `operation` is git's `get`.

    `pid` and `descent` (`domain.peer`) say who asked on the instance's socket.
    """

    operation: str
    host: str
    path: str
    lease: str
    capability: str | None
    pid: int = 0
    descent: str = "unknown"


class AskRefused(msgspec.Struct, frozen=True):
    """The body of a `refused` frame; `code` is stable (`domain.lease.Refusal`)."""

    code: str


class CredentialAnswer(msgspec.Struct, frozen=True):
    """`expires` in Unix seconds; `lease` replaces the one that was shown."""

    username: str
    password: str
    expires: int | None
    lease: str | None = None


class ToolLine(msgspec.Struct, frozen=True):
    """The body of an `mcp` request: a message on a connection to the socket for tools.

    `message` is one of JSON-RPC, or null: from agentctl when the client has gone, from the control
    plane when it has ended what served the client.
    """

    connection: str
    message: msgspec.Raw = msgspec.Raw(b"null")

    @property
    def ends(self) -> bool:
        return bytes(self.message) == b"null"
