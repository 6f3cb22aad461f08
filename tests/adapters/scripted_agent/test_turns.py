import sys
from pathlib import Path

import pytest

from tests.adapters.scripted_agent import mcp_server
from tests.adapters.scripted_agent.client import Client, Json
from tests.requirements import requirement


def _server() -> Json:
    return {"name": "math", "command": sys.executable, "args": [mcp_server.__file__], "env": []}


@requirement("scripted-agent:echo")
def test_a_plain_prompt_is_echoed(tmp_path: Path) -> None:
    with Client(tmp_path) as client:
        session = client.open()
        answer = client.result(client.prompt(session, "fix the bug"))

    assert answer["result"] == {"stopReason": "end_turn"}
    assert client.texts() == ["I am a scripted agent. You said: fix the bug"]


@requirement("scripted-agent:script")
def test_a_script_is_played_in_order(tmp_path: Path) -> None:
    with Client(tmp_path) as client:
        session = client.open()
        answer = client.turn(
            session,
            "# a comment, then a blank line",
            "",
            'thinking("hm")',
            'plan([{"content": "work", "priority": "high", "status": "pending"}])',
            'tool_use("Look", {"path": "x"}, "read")',
            "delay(1)",
            'message("done (\\"really\\")")',
        )

    assert answer["result"] == {"stopReason": "end_turn"}
    assert [each["sessionUpdate"] for each in client.updates] == [
        "agent_thought_chunk",
        "plan",
        "tool_call",
        "tool_call_update",
        "agent_message_chunk",
    ]
    assert client.texts() == ['done ("really")']


@requirement("scripted-agent:script")
@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("hello", "line 3 is not name(arguments)"),
        ("message(x)", "line 3: the arguments are not JSON"),
    ],
)
def test_a_line_that_is_no_directive_fails_the_turn(
    tmp_path: Path, line: str, problem: str
) -> None:
    with Client(tmp_path) as client:
        session = client.open()
        answer = client.turn(session, 'message("first")', line)

    assert answer["error"]["message"].startswith(problem)


@requirement("scripted-agent:edit")
def test_an_edit_writes_the_file_below_the_workspace(tmp_path: Path) -> None:
    with Client(tmp_path) as client:
        client.turn(client.open(), 'edit("new/file.txt", "line\\n")')

    assert (tmp_path / "new" / "file.txt").read_text(encoding="utf-8") == "line\n"
    assert [each["status"] for each in client.updates] == ["in_progress", "completed"]


@requirement("scripted-agent:run")
def test_a_command_runs_with_the_agents_environment_and_reports(tmp_path: Path) -> None:
    with Client(tmp_path, environment={"FLAVOUR": "sweet"}) as client:
        session = client.open()
        client.turn(session, 'run("echo $FLAVOUR; pwd")', 'run("echo no >&2; exit 3")')

    good, bad = [each for each in client.updates if each["sessionUpdate"] == "tool_call_update"]
    assert good["status"] == "completed"
    assert good["content"][0]["content"]["text"] == f"sweet\n{tmp_path}\n"
    assert (bad["status"], bad["rawOutput"]) == ("failed", {"exit_code": 3})
    assert bad["content"][0]["content"]["text"] == "no\n"


@requirement("scripted-agent:cancel")
@pytest.mark.parametrize(
    "directive",
    [
        "delay(600000)",
        'run("sleep 600 & sleep 600")',
        'wait_for_file("never")',
        'permission("May I?")',
        "mcp:math:hang({})",
    ],
)
def test_a_cancel_ends_whatever_the_turn_waits_for(tmp_path: Path, directive: str) -> None:
    with Client(tmp_path) as client:
        session = client.open([_server()])
        number = client.prompt(session, f'e2e:\nmessage("here")\n{directive}\nmessage("never")')
        client.receive()
        client.cancel(session)

        assert client.result(number)["result"] == {"stopReason": "cancelled"}
        assert client.texts() == ["here"]
        assert client.turn(session, 'message("again")')["result"] == {"stopReason": "end_turn"}


@requirement("scripted-agent:permission")
@pytest.mark.parametrize(
    ("outcome", "texts"),
    [
        ({"outcome": "selected", "optionId": "allow"}, ["went on"]),
        ({"outcome": "selected", "optionId": "reject"}, ["permission denied: May I?"]),
        ({"outcome": "cancelled"}, ["permission denied: May I?"]),
    ],
    ids=["allowed", "rejected", "cancelled"],
)
def test_a_permission_is_asked_for_and_heeded(
    tmp_path: Path, outcome: Json, texts: list[str]
) -> None:
    with Client(tmp_path) as client:
        session = client.open()
        number = client.prompt(session, 'e2e:\npermission("May I?")\nmessage("went on")')
        while not client.asked:
            client.receive()
        client.answer(client.asked[0], {"outcome": outcome})

        assert client.result(number)["result"] == {"stopReason": "end_turn"}

    assert client.texts() == texts
    kinds = [option["kind"] for option in client.asked[0]["params"]["options"]]
    assert kinds == ["allow_once", "reject_once"]


@requirement("scripted-agent:mcp")
def test_a_tool_of_an_mcp_server_is_called(tmp_path: Path) -> None:
    with Client(tmp_path) as client:
        session = client.open([_server()])
        client.turn(
            session,
            'mcp:math:add({"numbers": [2, 3]})',
            "mcp:math:other({})",
            "mcp:absent:add({})",
        )

    ends = [each for each in client.updates if each["sessionUpdate"] == "tool_call_update"]
    assert [(each["status"], each["content"][0]["content"]["text"]) for each in ends] == [
        ("completed", "5"),
        ("failed", "no such tool"),
        ("failed", "there is no MCP server absent"),
    ]


@requirement("scripted-agent:mcp")
def test_a_tool_server_that_stops_reading_fails_its_call_alone(tmp_path: Path) -> None:
    leaves = """exec 0<&-; echo '{"id":1,"result":{}}'"""
    with Client(tmp_path) as client:
        session = client.open([_server() | {"command": "/bin/sh", "args": ["-c", leaves]}])
        answer = client.turn(session, "mcp:math:add({})")

    [end] = [each for each in client.updates if each["sessionUpdate"] == "tool_call_update"]
    assert end["status"] == "failed"
    assert answer["result"] == {"stopReason": "end_turn"}


@requirement("scripted-agent:waits")
def test_a_turn_waits_for_a_file(tmp_path: Path) -> None:
    with Client(tmp_path) as client:
        session = client.open()
        number = client.prompt(session, 'e2e:\nmessage("waiting")\nwait_for_file("go")')
        client.receive()
        (tmp_path / "go").touch()

        assert client.result(number)["result"] == {"stopReason": "end_turn"}


@requirement("scripted-agent:misbehaves")
def test_text_may_arrive_after_the_answer(tmp_path: Path) -> None:
    with Client(tmp_path) as client:
        client.turn(client.open(), 'late_message("late")')
        assert client.texts() == []
        client.receive()

    assert client.texts() == ["late"]


@requirement("scripted-agent:misbehaves")
def test_a_line_may_be_ten_megabytes_long(tmp_path: Path) -> None:
    with Client(tmp_path) as client:
        client.turn(client.open(), "big_message(10000000)")

    assert client.texts() == ["x" * 10_000_000]


@requirement("scripted-agent:misbehaves")
def test_a_turn_may_print_noise_write_to_stderr_and_fail(tmp_path: Path) -> None:
    with Client(tmp_path) as client:
        session = client.open()
        client.turn(session, 'noise("not { json")', 'stderr("to whom it may concern")')
        answer = client.turn(session, 'fail("overloaded")')
        assert client.process.stdin is not None
        client.process.stdin.close()
        assert client.stderr() == "to whom it may concern\n"

    assert client.noise == ["not { json\n"]
    assert answer["error"] == {"code": -32603, "message": "overloaded"}


@requirement("scripted-agent:misbehaves")
def test_a_turn_may_crash_the_agent(tmp_path: Path) -> None:
    with Client(tmp_path) as client:
        client.prompt(client.open(), "e2e:\ncrash(7)")
        assert client.receive() is None

    assert client.process.returncode == 7
