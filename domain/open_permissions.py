"""Which of the permissions that an agent asked for nobody has answered yet, as its events tell."""

from collections.abc import Iterable, Sequence

from domain.event import EventKind, SessionEvent

__all__ = ("open_requests",)


def open_requests(events: Iterable[SessionEvent]) -> Sequence[SessionEvent]:
    """The requests without an answer, in order; an agent that has ended waits for none.

    What is open after some events can stand for them when the next ones are looked at.
    """
    waiting: dict[object, SessionEvent] = {}
    for event in events:
        match event.kind:
            case EventKind.PERMISSION_REQUEST:
                waiting[event.body.get("id")] = event
            case EventKind.PERMISSION_RESOLVED:
                waiting.pop(event.body.get("id"), None)
            case EventKind.EXITED:
                waiting.clear()
            case _:
                pass
    return tuple(waiting.values())
