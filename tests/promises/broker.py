"""What the system promises about managed git beside the agent: tools, socket, relay, processes."""

_PAGE = "docs/specification/managed-git.md"

PROMISES: dict[str, tuple[str, str]] = {
    "broker:proof": (
        f"{_PAGE}#the-proof",
        "Control plane and agentctl prove to each other that they know the key, and do not tell it.",
    ),
    "broker:socket:answer": (
        f"{_PAGE}#the-socket",
        "Git is given the credential of the repository that it asks for, by the instance's lease.",
    ),
    "broker:socket:nothing-kept": (
        f"{_PAGE}#the-socket",
        "agentctl keeps no secret: each question goes to the control plane, and none is stored.",
    ),
    "broker:socket:expiry": (
        f"{_PAGE}#the-socket",
        "The expiry of a credential is told to git, and a renewed lease replaces the one before.",
    ),
    "broker:socket:quit": (
        f"{_PAGE}#failing-closed",
        "Whatever is refused or missing for a managed host, git stops and asks nobody else.",
    ),
    "broker:socket:protocol": (
        f"{_PAGE}#the-socket",
        "The socket answers `git credential-cache` exactly, and nothing else.",
    ),
    "broker:socket:loop": (
        f"{_PAGE}#the-socket",
        "A tool that asks for a refused secret again and again is stopped.",
    ),
    "broker:socket:private": (
        f"{_PAGE}#the-socket",
        "The socket has mode 0600, an unguessable name and its instance's life; no lease leaves it.",
    ),
    "broker:socket:peer": (
        f"{_PAGE}#who-asks",
        "A process of another instance is refused; who asked goes along with every question.",
    ),
    "broker:tools:directory": (
        f"{_PAGE}#the-tools",
        "The tools are in one private directory of agentctl's, rebuilt when wrong, swept when orphaned.",
    ),
    "broker:tools:paths": (
        f"{_PAGE}#the-tools",
        "The helper works with blanks in every path, an empty PATH and any HOME.",
    ),
    "broker:tools:no-python": (
        f"{_PAGE}#the-tools",
        "No Python starts for get, store or erase.",
    ),
    "broker:tools:fallback": (
        f"{_PAGE}#the-tools",
        "Where git has no client of a unix socket, an isolated interpreter stands in.",
    ),
    "broker:tools:agentctl": (
        f"{_PAGE}#agentctl-as-a-command",
        "`agentctl git-credential` answers as the helper does, and fails where there is no credential.",
    ),
    "broker:tools:shell": (
        f"{_PAGE}#shells",
        "A shell that sets its PATH anew finds the tools first, after the start-up file of before.",
    ),
    "broker:tools:gh": (
        f"{_PAGE}#gh",
        "The machine's gh runs with the lease's token and a configuration directory for that run only.",
    ),
    "broker:tools:gh:bare": (
        f"{_PAGE}#gh",
        "Help and version of gh need no lease.",
    ),
    "broker:tools:gh:choice": (
        f"{_PAGE}#gh",
        "The lease is chosen by -R or --repo, GH_REPO, the remote origin; without one gh does not run.",
    ),
    "broker:relay:answer": (
        f"{_PAGE}#the-relay",
        "A question for an execution is answered by the control plane, a refusal with its code.",
    ),
    "broker:relay:created": (
        f"{_PAGE}#the-relay",
        "Only executions that the control plane made are answered.",
    ),
    "broker:relay:restart": (
        f"{_PAGE}#the-relay",
        "A question waits through a restart of the control plane, at most 30 seconds.",
    ),
    "broker:relay:cancel": (
        f"{_PAGE}#the-relay",
        "A question that is given up is given up at both ends.",
    ),
    "broker:relay:epoch": (
        f"{_PAGE}#the-relay",
        "One control plane holds the relay, the one with the highest epoch.",
    ),
    "broker:relay:bounds": (
        f"{_PAGE}#the-relay",
        "At most 256 questions are under way; more wait.",
    ),
    "broker:process:start": (
        f"{_PAGE}#agentctl-and-the-control-plane",
        "agentctl is started with its key on stdin; one that does not come up is ended and says why.",
    ),
    "broker:process:owned": (
        f"{_PAGE}#agentctl-and-the-control-plane",
        "An owned agentctl ends with its owner.",
    ),
    "broker:process:end": (
        f"{_PAGE}#agentctl-and-the-control-plane",
        "agentctl is ended by TERM and, after a bound, by KILL; no other process is ever signalled.",
    ),
    "broker:keeper:found": (
        f"{_PAGE}#agentctl-and-the-control-plane",
        "A running agentctl is found again after a restart, and one that is gone is replaced.",
    ),
    "broker:keeper:ends": (
        f"{_PAGE}#agentctl-and-the-control-plane",
        "agentctl outlives the control plane, and leaves nothing when it is told to end.",
    ),
    "broker:keeper:key": (
        f"{_PAGE}#agentctl-and-the-control-plane",
        "A process that does not prove that it knows the key is not spoken to.",
    ),
    "broker:runtime:life": (
        f"{_PAGE}#agentctl-and-the-control-plane",
        "An agent is launched, prompted, followed, stopped and released over agentctl's socket.",
    ),
    "broker:runtime:refusals": (
        f"{_PAGE}#agentctl-and-the-control-plane",
        "What agentctl refuses has a stable code, and its absence is an error of the connection.",
    ),
    "broker:redaction": (
        f"{_PAGE}#the-socket",
        "Every lease, capability and password that passes is registered to be redacted.",
    ),
}
