"""What an agent reports in `session/update`, as events.

`update` is the member of that name in the Agent Client Protocol, version 1, decoded and otherwise
unread. Nothing is dropped in silence: what is not known becomes evidence. What must be remembered
between updates is `Memory`, a value that each update replaces.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final, NamedTuple

from domain import acp_tool
from domain.acp_tool import ToolKind, ToolStatus
from domain.event import EventKind, Json

__all__ = ("Memory", "Said", "Tool", "end_turn", "hear")

RUNNING: Final = frozenset({ToolStatus.PENDING, ToolStatus.IN_PROGRESS})


class Said(NamedTuple):
    """An event before it has a number."""

    kind: EventKind
    body: Json


class Tool(NamedTuple):
    kind: ToolKind
    status: ToolStatus | None


@dataclass(frozen=True, slots=True)
class Memory:
    """The tool calls of the turn, and the widest context window that the agent has named."""

    tools: Mapping[str, Tool] = field(default_factory=dict)
    window: int = 0


class Heard(NamedTuple):
    memory: Memory
    said: tuple[Said, ...]


def hear(update: Json, memory: Memory) -> Heard:
    """The events that one update amounts to, in order; mostly one, sometimes none."""
    reader = _READERS.get(str(update.get("sessionUpdate")))
    if reader is None:
        return Heard(memory, (_evidence("unknown_update", update),))
    return reader(update, memory)


def end_turn(memory: Memory) -> Heard:
    """Tool calls that never ended are cancelled with their turn."""
    ended = tuple(
        Said(EventKind.TOOL_UPDATE, {"tool_call_id": call, "status": ToolStatus.CANCELLED.value})
        for call, tool in memory.tools.items()
        if tool.status in RUNNING
    )
    cancelled = {
        call: Tool(tool.kind, ToolStatus.CANCELLED)
        for call, tool in memory.tools.items()
        if tool.status in RUNNING
    }
    return Heard(replace(memory, tools=cancelled), ended)


def _message(update: Json, memory: Memory) -> Heard:
    role = {"role": "user"} if update["sessionUpdate"] == "user_message_chunk" else {}
    return Heard(memory, (_chunk(EventKind.MESSAGE_CHUNK, update, role),))


def _thought(update: Json, memory: Memory) -> Heard:
    return Heard(memory, (_chunk(EventKind.REASONING, update, {}),))


def _chunk(kind: EventKind, update: Json, body: Mapping[str, object]) -> Said:
    content, message = update.get("content"), update.get("messageId")
    if not isinstance(content, Mapping):
        return _evidence("malformed_update", update)
    identity = {"message_id": message} if isinstance(message, str) else {}
    text = content.get("text")
    if content.get("type") == "text" and isinstance(text, str):
        return Said(kind, {"text": text, **body, **identity})
    return Said(kind, {"content_blocks": [dict(content)], **body, **identity})


def _tool_call(update: Json, memory: Memory) -> Heard:
    call = update.get("toolCallId")
    if not isinstance(call, str):
        return Heard(memory, (_evidence("malformed_update", update),))
    kind = acp_tool.kind_of(update)
    status = acp_tool.status_of(update, kind, None) or ToolStatus.IN_PROGRESS
    body: Json = {
        "tool_call_id": call,
        "kind": kind.value,
        "status": status.value,
        **acp_tool.called(update),
    }
    said = (Said(EventKind.TOOL_CALL, body), *_plans_in(update))
    return Heard(_with_tool(memory, call, Tool(kind, status)), said)


def _tool_update(update: Json, memory: Memory) -> Heard:
    call = update.get("toolCallId")
    if not isinstance(call, str):
        return Heard(memory, (_evidence("malformed_update", update),))
    before = memory.tools.get(call, Tool(ToolKind.GENERIC, None))
    kind = acp_tool.kind_of(update) if update.get("kind") else before.kind
    status = acp_tool.status_of(update, kind, before.status)
    body: Json = {"tool_call_id": call, **acp_tool.called(update)}
    if update.get("kind"):
        body["kind"] = kind.value
    if status is not None:
        body["status"] = status.value
    said = (Said(EventKind.TOOL_UPDATE, body), *_plans_in(update))
    return Heard(_with_tool(memory, call, Tool(kind, status or before.status)), said)


def _with_tool(memory: Memory, call: str, tool: Tool) -> Memory:
    return replace(memory, tools={**memory.tools, call: tool})


def _plan(update: Json, memory: Memory) -> Heard:
    return Heard(memory, (Said(EventKind.PLAN, {"entries": _entries(update.get("entries"))}),))


def _plans_in(update: Json) -> Iterator[Said]:
    """Plans that some agents only show as what a tool was given or gave."""
    output, given = update.get("rawOutput"), update.get("rawInput")
    if isinstance(output, Mapping) and isinstance(output.get("todos"), list):
        yield Said(EventKind.PLAN, {"entries": _entries(output["todos"])})
    if isinstance(given, Mapping) and isinstance(given.get("plan"), str):
        yield Said(EventKind.PLAN, {"text": given["plan"]})


def _entries(entries: object) -> list[Json]:
    return [
        {
            "description": str(entry.get("content") or ""),
            "status": str(entry.get("status") or "pending"),
            "priority": str(entry.get("priority") or "medium"),
        }
        for entry in _objects(entries)
    ]


def _commands(update: Json, memory: Memory) -> Heard:
    first: dict[str, Json] = {}
    for command in _objects(update.get("availableCommands")):
        name = command.get("name")
        if isinstance(name, str):
            first.setdefault(name, {"name": name, "description": command.get("description") or ""})
    return Heard(memory, (Said(EventKind.AVAILABLE_COMMANDS, {"commands": [*first.values()]}),))


def _mode(update: Json, memory: Memory) -> Heard:
    return Heard(memory, (Said(EventKind.SESSION_MODE, {"mode": update.get("currentModeId")}),))


def _options(update: Json, memory: Memory) -> Heard:
    body: Json = {"config_options": list(_objects(update.get("configOptions")))}
    return Heard(memory, (Said(EventKind.SESSION_MODELS, body),))


def _session(update: Json, memory: Memory) -> Heard:
    body: Json = {"status": "info", "title": update.get("title")}
    return Heard(memory, (Said(EventKind.SESSION_STATUS, body),))


def _usage(update: Json, memory: Memory) -> Heard:
    origin = _origin(update)
    said = (Said(EventKind.SESSION_STATUS, {"status": origin}),) if origin else ()
    size, used = update.get("size"), update.get("used")
    if not isinstance(size, int) or not isinstance(used, int) or size <= 0:
        return Heard(memory, said)
    window = max(size, memory.window)
    body: Json = {
        "size": window,
        "used": used,
        "remaining": max(0, window - used),
        "efficiency": round(min(100.0, 100.0 * used / window), 1),
    }
    return Heard(replace(memory, window=window), (Said(EventKind.CONTEXT_WINDOW, body), *said))


def _origin(update: Json) -> str | None:
    """What usage of tokens outside a turn was for, as some agents say."""
    meta = update.get("_meta")
    origin = meta.get("origin") if isinstance(meta, Mapping) else None
    kind = origin.get("kind") if isinstance(origin, Mapping) else None
    return _ORIGINS.get(str(kind))


def _objects(values: object) -> Iterator[Json]:
    if isinstance(values, Sequence) and not isinstance(values, str):
        yield from (dict(value) for value in values if isinstance(value, Mapping))


def _evidence(reason: str, update: Json) -> Said:
    return Said(EventKind.NOISE, {"reason": reason, "update": update})


_ORIGINS: Final[Mapping[str, str]] = {
    "human": "foreground_idle",
    "task-notification": "background_complete",
}

_READERS: Final[Mapping[str, Callable[[Json, Memory], Heard]]] = {
    "agent_message_chunk": _message,
    "user_message_chunk": _message,
    "agent_thought_chunk": _thought,
    "tool_call": _tool_call,
    "tool_call_update": _tool_update,
    "plan": _plan,
    "available_commands_update": _commands,
    "current_mode_update": _mode,
    "config_option_update": _options,
    "session_info_update": _session,
    "usage_update": _usage,
}
