"""What the use cases of sessions promise, whatever agent runs and wherever it runs."""

_PAGE = "docs/specification/sessions.md"

PROMISES: dict[str, tuple[str, str]] = {
    "session:start:refused-early": (
        f"{_PAGE}#start",
        "A launch that cannot be meant is refused before a session exists.",
    ),
    "session:start:one": (
        f"{_PAGE}#start",
        "One session at a time works on a task, and none on an archived one.",
    ),
    "session:start:folders": (
        f"{_PAGE}#start",
        "Each repository of a task has a folder of its own, also where two have the same name.",
    ),
    "session:start:now": (
        f"{_PAGE}#credentials",
        "A start uses, and says, what the workspace wants when its leases are issued.",
    ),
    "session:start:agree": (
        f"{_PAGE}#credentials",
        "Launch and resume decide alike with whose authority git works.",
    ),
    "session:start:snapshot": (
        f"{_PAGE}#credentials",
        "The snapshot is written with a success, and by nothing else.",
    ),
    "session:start:failed": (
        f"{_PAGE}#failed-starts",
        "A start that fails ends its leases and says why on the session, which can be resumed.",
    ),
    "session:start:superseded": (
        f"{_PAGE}#failed-starts",
        "Who stops, archives or deletes while an agent starts wins, and the agent is ended.",
    ),
    "session:start:abandoned": (
        f"{_PAGE}#failed-starts",
        "An agent whose start could not be recorded is ended again.",
    ),
    "session:stop:one-flight": (
        f"{_PAGE}#stop",
        "Who asks for a stop that is under way gets its outcome; who gives up stops nothing.",
    ),
    "session:launch:one-flight": (
        f"{_PAGE}#orders",
        "Who asks for a launch that is under way gets its session; it goes on for one caller.",
    ),
    "session:order": (
        f"{_PAGE}#orders",
        "Who wants an agent while one is stopped waits for the stop, and while one starts, for it.",
    ),
    "session:resume:one-flight": (
        f"{_PAGE}#resume",
        "Who asks for a resume that is under way gets its outcome; who gives up stops nothing.",
    ),
    "session:turn:begun": (
        f"{_PAGE}#turns",
        "A turn is stored before the agent hears of it, and failed when the agent cannot.",
    ),
    "session:turn:evidence": (
        f"{_PAGE}#turns",
        "An ended turn is stored with why it failed and what it left behind.",
    ),
    "session:queue": (
        f"{_PAGE}#queue",
        "Prompts wait in the order in which they came, and go one a turn.",
    ),
    "session:queue:bound": (
        f"{_PAGE}#queue",
        "A queue holds at most 10 prompts.",
    ),
    "session:queue:change": (
        f"{_PAGE}#queue",
        "A prompt that waits can be edited, removed and moved; an order of others changes nothing.",
    ),
    "session:queue:command": (
        f"{_PAGE}#queue",
        "A queue can be shown and changed from the command line, and survives a restart.",
    ),
    "session:queue:held": (
        f"{_PAGE}#queue",
        "After a turn that did not complete the queue waits for a person.",
    ),
    "session:queue:put-back": (
        f"{_PAGE}#queue",
        "A prompt that was not delivered is where it was, and one that was heard is not sent again.",
    ),
    "session:queue:send": (
        f"{_PAGE}#queue",
        "A prompt can be sent before all others, ending the turn that runs.",
    ),
    "session:turn:one-ending": (
        f"{_PAGE}#turns",
        "A turn has one ending: the first that is its own.",
    ),
    "session:events:once": (
        f"{_PAGE}#survival",
        "An event that comes twice is stored once, and is dropped elsewhere only when it is.",
    ),
    "session:end": (
        f"{_PAGE}#stop",
        "Whatever ends a session ends its leases in the same write, and then its agent.",
    ),
    "session:recover": (
        f"{_PAGE}#survival",
        "After a start each open execution is followed again or ended, and no agent is forgotten.",
    ),
    "session:recover:unsure": (
        f"{_PAGE}#survival",
        "Nothing is concluded from an agentctl that does not answer.",
    ),
    "session:person": (
        f"{_PAGE}#who-may",
        "An agent cannot act as the person whose installation it is.",
    ),
}
