"""What the MCP server promises to the clients that use its tools."""

_PAGE = "docs/specification/mcp.md"

PROMISES: dict[str, tuple[str, str]] = {
    "mcp:tools": (
        f"{_PAGE}#the-tools",
        "Every tool tells its title, its use, what it does to the world, what it takes and gives.",
    ),
    "mcp:schemas": (
        f"{_PAGE}#the-tools",
        "Every schema is one of draft 2020-12 and of draft 7, and every answer keeps its own.",
    ),
    "mcp:arguments": (
        f"{_PAGE}#arguments",
        "Wrong arguments reach nothing, and are told by place and rule, never by value.",
    ),
    "mcp:principal": (
        f"{_PAGE}#who-asks",
        "What is not the caller's to see is answered like what does not exist.",
    ),
    "mcp:pair": (
        f"{_PAGE}#who-asks",
        "A session is found only beside the task that it belongs to.",
    ),
    "mcp:pages": (
        f"{_PAGE}#pages",
        "Lists and conversations come in pages that lose nothing and repeat nothing.",
    ),
    "mcp:resources": (
        f"{_PAGE}#resources",
        "Tasks, plans and conversations are resources, for whoever reads them by the tools.",
    ),
    "mcp:changes": (
        f"{_PAGE}#resources",
        "A client is told of the changes that it asked to hear of, if it sees what changed.",
    ),
    "mcp:problems": (
        f"{_PAGE}#problems",
        "What was refused is told with a stable code and what to do, and changes nothing.",
    ),
    "mcp:door": (
        f"{_PAGE}#over-http",
        "The tools stand behind the door of the REST surface: its hosts, its origins, its token.",
    ),
    "mcp:restart": (
        f"{_PAGE}#over-http",
        "A client goes on with its connection when the control plane comes back.",
    ),
    "mcp:cancel": (
        f"{_PAGE}#over-http",
        "A call that its client cancels ends, and the connection serves the next.",
    ),
    "mcp:many": (f"{_PAGE}#over-http", "A hundred calls at once are each answered as their own."),
    "mcp:late": (
        f"{_PAGE}#over-http",
        "The library of the protocol is loaded with the first request, not with the server.",
    ),
    "mcp:inside": (
        f"{_PAGE}#for-agents",
        "Under either policy an agent has the tools, bound to its execution, by absolute paths.",
    ),
    "mcp:family": (
        f"{_PAGE}#for-agents",
        "An agent sees its task's family, messages it, and controls the children of its task alone.",
    ),
    "mcp:external-id": (
        f"{_PAGE}#the-tools",
        "A task is created once for an external id, however often the call is repeated.",
    ),
    "mcp:update": (
        f"{_PAGE}#the-tools",
        "What a task says of itself is changed in what was named, or not at all.",
    ),
    "mcp:interrupt": (
        f"{_PAGE}#starting-an-agent",
        "A message interrupts the turn of an agent for a person, or the agent of the parent task.",
    ),
    "mcp:move": (
        f"{_PAGE}#states-and-reports",
        "A task moves between open, for review and done, and no agent says done of its own.",
    ),
    "mcp:step": (
        f"{_PAGE}#states-and-reports",
        "The agent at work says once that its step is complete, and its report is kept.",
    ),
    "mcp:profiles": (
        f"{_PAGE}#starting-an-agent",
        "An agent is started with profiles, or as the task had it last, and who waits is told.",
    ),
    "mcp:plan": (
        f"{_PAGE}#plans",
        "The plan of a task is written once, rewritten and deleted by who may change the task.",
    ),
    "mcp:permissions": (
        f"{_PAGE}#permissions",
        "A person's client sees which permissions wait for an answer, and answers with an option.",
    ),
    "mcp:ask": (
        f"{_PAGE}#questions",
        "An agent asks its user and waits, told that it goes on; the first answer stands.",
    ),
    "mcp:ask-late": (
        f"{_PAGE}#questions",
        "An answer that comes when the agent does not wait any more goes to it as a message.",
    ),
    "mcp:inside-restart": (
        f"{_PAGE}#for-agents",
        "A restart ends a call with an error, and the client of the agent goes on.",
    ),
    "mcp:profile-servers": (
        f"{_PAGE}#for-agents",
        "The servers of a profile reach the agent beside ours; what it cannot have is told.",
    ),
    "mcp:inside-bounds": (
        f"{_PAGE}#for-agents",
        "What a client says, asks at once and leaves unread is bounded, for itself alone.",
    ),
    "mcp:stdio": (
        f"{_PAGE}#on-stdio",
        "`kandev mcp` has the same tools on standard input and output.",
    ),
    "mcp:config": (
        f"{_PAGE}#on-stdio",
        "`kandev mcp config CLIENT` prints settings that start the server, and no secret.",
    ),
    "mcp:clean": (
        f"{_PAGE}#on-stdio",
        "Nothing is written into a repository for the tools.",
    ),
    "mcp:peers": (
        f"{_PAGE}#other-peoples-clients",
        "MCP Inspector and fastmcp list and call tools over HTTP, on stdio and from inside.",
    ),
    "mcp:conformance": (
        f"{_PAGE}#other-peoples-clients",
        "The scenarios of the protocol's conformance suite that apply pass.",
    ),
}
