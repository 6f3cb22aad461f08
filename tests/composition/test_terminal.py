"""What an agent prints is shown, and cannot steer the terminal."""

import pytest

from composition.terminal import plain, render


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain\ttext\n", "plain\ttext\n"),
        ("\x1b[31mred\x1b[0m", "red"),
        ("\x1b]0;title\x07rest", "]0;titlerest"),
        ("a\rb\x08c\x9b1m", "abc1m"),
        ("ünï", "ünï"),
    ],
)
def test_control_sequences_do_not_reach_the_terminal(text: str, shown: str) -> None:
    assert plain(text) == shown


@pytest.mark.parametrize(
    ("kind", "body", "shown"),
    [
        ("message_chunk", {"text": "hi"}, "hi"),
        ("message_chunk", {"text": "mine", "role": "user"}, None),
        ("tool_call", {"title": "ls", "tool_call_id": "c"}, "\n→ ls\n"),
        ("tool_update", {"status": "in_progress"}, None),
        ("tool_update", {"status": "error", "title": "ls"}, "  error: ls\n"),
        (
            "complete",
            {"state": "completed", "stop_reason": "end_turn"},
            "\nturn completed: end_turn\n",
        ),
        ("complete", {"state": "failed", "error": "\x1b[2Jboom"}, "\nturn failed: boom\n"),
        ("error", {"code": "agent_died", "detail": "it ended"}, "\nerror: it ended\n"),
        ("noise", {"text": "x"}, None),
        ("session_status", {"status": "ready"}, "session ready\n"),
        (
            "session_status",
            {"status": "warning", "code": "base_fallback", "asked": "gone", "used": "origin/x"},
            "warning: there is no gone; the branch begins at origin/x\n",
        ),
        (
            "session_status",
            {
                "status": "parity",
                "differences": [
                    {"kind": "hooks_not_armed", "names": ["a\x1b[1m"], "repaired": True},
                    {"kind": "sparse", "names": ["b", "c"], "repaired": False},
                ],
            },
            (
                "the worktree differs from a fresh checkout\n"
                "  hooks_not_armed (repaired): a\n  sparse: b, c\n"
            ),
        ),
    ],
)
def test_an_event_is_a_line_for_a_person(
    kind: str, body: dict[str, object], shown: str | None
) -> None:
    assert render({"kind": kind, "body": body}) == shown
