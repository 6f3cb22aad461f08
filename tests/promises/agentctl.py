"""What the system promises about agentctl and the events of agents."""

_AGENTCTL = "docs/specification/agentctl.md"
_EVENTS = "docs/specification/events.md"

PROMISES: dict[str, tuple[str, str]] = {
    "events:normalise": (
        f"{_EVENTS}#kinds",
        "Each update of an agent becomes an event of a documented kind with documented members.",
    ),
    "events:tools": (
        f"{_EVENTS}#tool-calls",
        (
            "A tool call has a kind and a status in our words; an exit code outweighs a status, and "
            "what runs when its turn ends is cancelled."
        ),
    ),
    "events:plans": (
        f"{_EVENTS}#kinds",
        "Plans that an agent shows only as what a tool was given or gave are plans too.",
    ),
    "events:failure-reason": (
        f"{_EVENTS}#reasons",
        "A failed turn ends with a stable reason, told from its error; an unknown one is not guessed.",
    ),
    "events:context": (
        f"{_EVENTS}#kinds",
        "The context window is the widest one named so far, and what remains is never negative.",
    ),
    "events:evidence": (
        f"{_EVENTS}#evidence",
        "What is not understood is kept as evidence, never dropped.",
    ),
    "events:numbered": (
        f"{_EVENTS}#numbers",
        (
            "Events of an execution are numbered from 1 without a gap, and a reader that names the "
            "last one it has is given every later one."
        ),
    ),
    "events:durable": (
        f"{_EVENTS}#durability",
        (
            "An event is on disk before it is handed out; a disk that is full holds the agent back "
            "and loses nothing."
        ),
    ),
    "events:beyond": (
        f"{_EVENTS}#durability",
        "Who has more events than a running execution ever had is refused, and waits for nothing.",
    ),
    "events:acknowledged": (
        f"{_EVENTS}#durability",
        (
            "Events are kept until they are acknowledged; at the bound of what is kept the agent "
            "waits."
        ),
    ),
    "events:redacted": (
        f"{_EVENTS}#secrets",
        "No registered secret is in an event, whatever the agent said.",
    ),
    "agentctl:permission:automatic": (
        f"{_AGENTCTL}#permissions",
        "An automatic approval picks the narrowest option that allows, else cancels.",
    ),
    "agentctl:permission:brokered": (
        f"{_AGENTCTL}#permissions",
        (
            "A permission request is answered once, with an option that was offered, and is cancelled "
            "with its turn."
        ),
    ),
    "agentctl:alone": (
        f"{_AGENTCTL}#alone",
        (
            "Without a control plane agentctl lets turns finish and ends after 15 minutes, at the "
            "latest after 24 hours."
        ),
    ),
    "agentctl:protocol:version": (
        f"{_AGENTCTL}#the-agent-client-protocol",
        "Version 1 of the protocol is spoken; an agent that answers with another is refused.",
    ),
    "agentctl:protocol:broken": (
        f"{_AGENTCTL}#the-agent-client-protocol",
        "A damaged message breaks the protocol at once and ends the agent.",
    ),
    "agentctl:protocol:lines": (
        f"{_AGENTCTL}#the-agent-client-protocol",
        "A message may have 16 MiB; a longer one breaks the protocol and ends the agent.",
    ),
    "agentctl:protocol:noise": (
        f"{_AGENTCTL}#the-agent-client-protocol",
        "Lines that are no message are tolerated within a bound and kept as evidence.",
    ),
    "agentctl:protocol:order": (
        f"{_AGENTCTL}#the-agent-client-protocol",
        "Updates keep their order, and all that came with the answer to a prompt is in the turn.",
    ),
    "agentctl:protocol:replay": (
        f"{_AGENTCTL}#the-agent-client-protocol",
        "What an agent repeats while it loads a conversation is not news.",
    ),
    "agentctl:protocol:requests": (
        f"{_AGENTCTL}#the-agent-client-protocol",
        (
            "A request of the agent's for something that is not served is refused, and too many "
            "unanswered ones hold it back."
        ),
    ),
    "agentctl:protocol:terminals": (
        f"{_AGENTCTL}#the-agent-client-protocol",
        "An agent may have commands run beside it, in its environment, and reads, waits and kills.",
    ),
    "agentctl:protocol:files": (
        f"{_AGENTCTL}#the-agent-client-protocol",
        "An agent reads and writes text below its directory, and is led nowhere else by a link.",
    ),
    "agentctl:launch": (
        f"{_AGENTCTL}#launching",
        "A launch returns when the agent has a conversation, new or loaded, and says which.",
    ),
    "agentctl:launch:refusals": (
        f"{_AGENTCTL}#launching",
        "A launch that cannot succeed is refused with a stable code and the agent's last words.",
    ),
    "agentctl:launch:nothing-left": (
        f"{_AGENTCTL}#launching",
        "After a failed or abandoned launch no process, socket, directory or branch of it is left.",
    ),
    "agentctl:launch:environment": (
        f"{_AGENTCTL}#the-environment",
        (
            "The agent's environment is composed from agentctl's own and the layers, with managed "
            "access last, and without agentctl's own names."
        ),
    ),
    "agentctl:launch:worktree": (
        f"{_AGENTCTL}#worktrees",
        (
            "A worktree is made on a new branch, an existing branch is checked out as it is, and a "
            "worktree that is there is used again."
        ),
    ),
    "agentctl:turn:endings": (
        f"{_AGENTCTL}#turns",
        "Each turn has one ending, which carries the generation of its prompt.",
    ),
    "agentctl:turn:evidence": (
        f"{_AGENTCTL}#turn-evidence",
        "A turn ends with what it left in each repository; what nothing tells is unknown.",
    ),
    "agentctl:turn:one": (
        f"{_AGENTCTL}#turns",
        "One turn runs at a time.",
    ),
    "agentctl:turn:cancel": (
        f"{_AGENTCTL}#turns",
        (
            "A cancelled turn ends as cancelled even when the agent ignores it, and the next prompt "
            "works."
        ),
    ),
    "agentctl:stop": (
        f"{_AGENTCTL}#stopping",
        "Stopping ends the agent and its descendants within bounds; the log stays until released.",
    ),
    "agentctl:stderr": (
        f"{_AGENTCTL}#stopping",
        "The last 50 lines of the agent's stderr are kept, redacted, and told when it ends.",
    ),
    "agentctl:identity": (
        f"{_AGENTCTL}#instances",
        "A call names execution, task and session; a wrong combination is like no instance.",
    ),
    "agentctl:door": (
        f"{_AGENTCTL}#the-door",
        "Without a proof of the key only health and the handshake answer.",
    ),
    "agentctl:tcp": (
        f"{_AGENTCTL}#the-process",
        "Told to, agentctl listens on the loopback too, behind the same proof of the key.",
    ),
    "agentctl:process": (
        f"{_AGENTCTL}#the-process",
        (
            "agentctl announces itself in one line, listens on a socket of mode 0600 in a directory of "
            "mode 0700, and ends its agents when it is told to end."
        ),
    ),
    "processes:leftovers": (
        f"{_AGENTCTL}#recovery",
        (
            "What a killed owner left running is found by pid and start time or by its mark, and only "
            "that is ended."
        ),
    ),
    "agentctl:recovery": (
        f"{_AGENTCTL}#recovery",
        (
            "After agentctl was killed the next one ends what its agents left running, and gives every "
            "event that was handed out."
        ),
    ),
}
