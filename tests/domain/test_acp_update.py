"""Every update of the protocol as the events it amounts to."""

from typing import Any

import pytest

from domain.acp_update import Memory, Said, end_turn, hear
from domain.event import EventKind
from tests.requirements import requirement

Update = dict[str, Any]


def _text(kind: str, text: str) -> Update:
    return {"sessionUpdate": kind, "content": {"type": "text", "text": text}}


def _heard(*updates: Update) -> list[Said]:
    memory = Memory()
    said: list[Said] = []
    for update in updates:
        heard = hear(update, memory)
        memory = heard.memory
        said.extend(heard.said)
    return said


def _call(**members: Any) -> Update:
    return {"sessionUpdate": "tool_call", "toolCallId": "c1", "title": "ls", **members}


def _update(**members: Any) -> Update:
    return {"sessionUpdate": "tool_call_update", "toolCallId": "c1", **members}


SHELL = _call(kind="execute")


@requirement("events:normalise")
@pytest.mark.parametrize(
    ("update", "kind", "body"),
    [
        (_text("agent_message_chunk", "hi"), EventKind.MESSAGE_CHUNK, {"text": "hi"}),
        (
            _text("user_message_chunk", "q"),
            EventKind.MESSAGE_CHUNK,
            {"text": "q", "role": "user"},
        ),
        (
            {"sessionUpdate": "agent_message_chunk", "content": {"type": "image", "data": "AA"}},
            EventKind.MESSAGE_CHUNK,
            {"content_blocks": [{"type": "image", "data": "AA"}]},
        ),
        (
            _text("agent_message_chunk", "a") | {"messageId": "m1"},
            EventKind.MESSAGE_CHUNK,
            {"text": "a", "message_id": "m1"},
        ),
        (_text("agent_thought_chunk", "t"), EventKind.REASONING, {"text": "t"}),
        (
            SHELL,
            EventKind.TOOL_CALL,
            {
                "tool_call_id": "c1",
                "kind": "shell_exec",
                "status": "in_progress",
                "title": "ls",
            },
        ),
        (
            _call(kind="edit", status="pending", rawInput={"path": "a"}),
            EventKind.TOOL_CALL,
            {
                "tool_call_id": "c1",
                "kind": "modify_file",
                "status": "pending",
                "title": "ls",
                "raw_input": {"path": "a"},
            },
        ),
        (
            {
                "sessionUpdate": "plan",
                "entries": [{"content": "do", "status": "pending", "priority": "high"}],
            },
            EventKind.PLAN,
            {"entries": [{"description": "do", "status": "pending", "priority": "high"}]},
        ),
        (
            {
                "sessionUpdate": "available_commands_update",
                "availableCommands": [
                    {"name": "a", "description": "first"},
                    {"name": "b"},
                    {"name": "a", "description": "second"},
                ],
            },
            EventKind.AVAILABLE_COMMANDS,
            {
                "commands": [
                    {"name": "a", "description": "first"},
                    {"name": "b", "description": ""},
                ]
            },
        ),
        (
            {"sessionUpdate": "current_mode_update", "currentModeId": "plan"},
            EventKind.SESSION_MODE,
            {"mode": "plan"},
        ),
        (
            {"sessionUpdate": "config_option_update", "configOptions": [{"id": "model"}]},
            EventKind.SESSION_MODELS,
            {"config_options": [{"id": "model"}]},
        ),
        (
            {"sessionUpdate": "session_info_update", "title": "a title"},
            EventKind.SESSION_STATUS,
            {"status": "info", "title": "a title"},
        ),
    ],
)
def test_an_update_amounts_to_one_event(
    update: Update, kind: EventKind, body: dict[str, Any]
) -> None:
    assert _heard(update) == [Said(kind, body)]


@requirement("events:tools")
@pytest.mark.parametrize(
    ("call", "update", "status"),
    [
        (SHELL, _update(status="completed"), "complete"),
        (SHELL, _update(status="failed"), "error"),
        (SHELL, _update(title="ls -l"), "in_progress"),
        (SHELL, _update(rawInput={"command": "ls"}), "in_progress"),
        (SHELL, _update(content=[{"type": "content"}]), "in_progress"),
        (SHELL, _update(locations=[{"path": "a"}]), "in_progress"),
        (SHELL, _update(), None),
        (SHELL, _update(status="completed", rawOutput={"exitCode": 2}), "error"),
        (SHELL, _update(status="completed", rawOutput={"exit_code": 0}), "complete"),
        (SHELL, _update(rawOutput={"exit_code": 0}), "complete"),
        (SHELL, _update(_meta={"terminal_exit": {"exit_code": 1}}), "error"),
        (SHELL, _update(status="failed", rawOutput={"exitCode": 0}), "error"),
        (_call(kind="read"), _update(status="completed", rawOutput={"exitCode": 2}), "complete"),
        (_call(kind="read"), _update(kind="execute", rawOutput={"exitCode": 2}), "error"),
    ],
)
def test_a_tools_status_follows_from_what_its_update_carries(
    call: Update, update: Update, status: str | None
) -> None:
    assert _heard(call, update)[-1].body.get("status") == status


@requirement("events:tools")
@pytest.mark.parametrize(
    ("kind", "raw_input", "expected"),
    [
        ("edit", None, "modify_file"),
        ("read", None, "read_file"),
        ("view", {}, "read_file"),
        ("bash", {}, "shell_exec"),
        ("run", {}, "shell_exec"),
        ("execute", {}, "shell_exec"),
        ("read", {"type": "directory"}, "code_search"),
        ("grep", None, "code_search"),
        ("fetch", None, "http_request"),
        ("custom_tool", None, "generic"),
        ("", None, "generic"),
        (None, None, "generic"),
    ],
)
def test_a_tools_kind_is_told_in_our_words(kind: str | None, raw_input: Any, expected: str) -> None:
    assert _heard(_call(kind=kind, rawInput=raw_input))[0].body["kind"] == expected


@requirement("events:tools")
def test_what_still_runs_when_its_turn_ends_is_cancelled_and_stays_so() -> None:
    memory = hear(SHELL, Memory()).memory
    memory = hear(_call(toolCallId="c2", status="completed"), memory).memory

    memory, said = end_turn(memory)
    after = hear(_update(status="completed", rawOutput={"exitCode": 0}), memory).said

    assert said == (Said(EventKind.TOOL_UPDATE, {"tool_call_id": "c1", "status": "cancelled"}),)
    assert after[0].body["status"] == "cancelled"


@requirement("events:plans")
def test_plans_inside_of_tools_are_plans_too() -> None:
    todos = _update(rawOutput={"todos": [{"content": "x", "status": "completed"}]})
    plan = _update(rawInput={"plan": "first this"})

    heard = _heard(SHELL, todos, plan)

    assert [said for said in heard if said.kind is EventKind.PLAN] == [
        Said(
            EventKind.PLAN,
            {"entries": [{"description": "x", "status": "completed", "priority": "medium"}]},
        ),
        Said(EventKind.PLAN, {"text": "first this"}),
    ]


def _usage(size: int, used: int, **members: Any) -> Update:
    return {"sessionUpdate": "usage_update", "size": size, "used": used, **members}


@requirement("events:context")
@pytest.mark.parametrize(
    ("updates", "bodies"),
    [
        ([_usage(0, 1)], []),
        ([_usage(-1, 1)], []),
        (
            [_usage(200000, 50000), _usage(100000, 60000)],
            [
                {"size": 200000, "used": 50000, "remaining": 150000, "efficiency": 25.0},
                {"size": 200000, "used": 60000, "remaining": 140000, "efficiency": 30.0},
            ],
        ),
        (
            [_usage(100, 120)],
            [{"size": 100, "used": 120, "remaining": 0, "efficiency": 100.0}],
        ),
    ],
)
def test_the_context_window_never_shrinks_and_never_owes(
    updates: list[Update], bodies: list[Any]
) -> None:
    assert [said.body for said in _heard(*updates)] == bodies


@requirement("events:context")
@pytest.mark.parametrize(
    ("kind", "status"),
    [("human", "foreground_idle"), ("task-notification", "background_complete")],
)
def test_usage_says_what_it_was_for(kind: str, status: str) -> None:
    usage = _usage(0, 0, _meta={"origin": {"kind": kind}})

    assert _heard(usage) == [Said(EventKind.SESSION_STATUS, {"status": status})]


@requirement("events:evidence")
@pytest.mark.parametrize(
    ("update", "reason"),
    [
        ({"sessionUpdate": "of_the_future", "a": 1}, "unknown_update"),
        ({}, "unknown_update"),
        ({"sessionUpdate": "agent_message_chunk"}, "malformed_update"),
        ({"sessionUpdate": "agent_message_chunk", "content": "hi"}, "malformed_update"),
        ({"sessionUpdate": "tool_call"}, "malformed_update"),
        ({"sessionUpdate": "tool_call_update", "toolCallId": 3}, "malformed_update"),
    ],
)
def test_what_is_not_understood_is_kept_as_evidence(update: Update, reason: str) -> None:
    assert _heard(update) == [Said(EventKind.NOISE, {"reason": reason, "update": update})]
