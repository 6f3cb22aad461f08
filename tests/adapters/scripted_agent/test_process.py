import os
import signal
from pathlib import Path

import pytest

from adapters.process.table import read, snapshot
from tests.adapters.scripted_agent.client import Client
from tests.requirements import requirement


@requirement("scripted-agent:protocol")
def test_it_speaks_version_one_and_can_load(tmp_path: Path) -> None:
    with Client(tmp_path) as client:
        result = client.initialize()["result"]

    assert result["protocolVersion"] == 1
    assert result["agentCapabilities"] == {"loadSession": True}


@requirement("scripted-agent:protocol")
def test_an_unknown_method_is_an_error_and_an_unknown_notification_is_passed_over(
    tmp_path: Path,
) -> None:
    with Client(tmp_path) as client:
        session = client.open()
        client.cancel("scripted-unknown")
        unknown = client.result(client.send("session/fork", {}))
        stranger = client.result(client.prompt("scripted-unknown", "hello"))

        assert client.turn(session)["result"] == {"stopReason": "end_turn"}

    assert unknown["error"]["code"] == -32601
    assert stranger["error"]["code"] == -32002


@requirement("scripted-agent:protocol")
def test_nothing_that_lies_in_the_workspace_is_imported(tmp_path: Path) -> None:
    for name in ("adapters", "domain", "json", "argparse"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "__init__.py").write_text("raise SystemExit(9)\n", encoding="utf-8")

    with Client(tmp_path, environment={"PYTHONPATH": str(tmp_path)}) as client:
        assert client.initialize()["result"]["protocolVersion"] == 1


@requirement("scripted-agent:load")
def test_a_conversation_of_its_own_is_loaded_and_replayed(tmp_path: Path) -> None:
    with Client(tmp_path) as first:
        session = first.open()
    with Client(tmp_path, "--replay") as second:
        second.initialize()
        params = {"sessionId": session, "cwd": str(tmp_path), "mcpServers": []}
        answer = second.result(second.send("session/load", params))
        replayed = len(second.updates)
        second.turn(session, 'message("on we go")')

    assert answer["result"] == {}
    assert replayed == 2
    assert second.texts() == ["older", "on we go"]


@requirement("scripted-agent:load")
@pytest.mark.parametrize(
    ("flags", "session"), [(["--fail-load"], "scripted-1-1"), ([], "of-another-agent")]
)
def test_a_conversation_may_not_be_found(tmp_path: Path, flags: list[str], session: str) -> None:
    with Client(tmp_path, *flags) as client:
        client.initialize()
        params = {"sessionId": session, "cwd": str(tmp_path), "mcpServers": []}
        answer = client.result(client.send("session/load", params))

    assert answer["error"]["code"] == -32002


@requirement("scripted-agent:load")
def test_it_may_die_while_it_loads_or_not_load_at_all(tmp_path: Path) -> None:
    with Client(tmp_path, "--die-in-load") as client:
        client.initialize()
        params = {"sessionId": "scripted-1-1", "cwd": str(tmp_path), "mcpServers": []}
        client.send("session/load", params)
        assert client.receive() is None
    with Client(tmp_path, "--no-load") as other:
        capabilities = other.initialize()["result"]["agentCapabilities"]

    assert client.process.returncode == 4
    assert capabilities == {"loadSession": False}


@requirement("scripted-agent:flags")
def test_it_may_end_during_initialize_with_words_on_stderr(tmp_path: Path) -> None:
    with Client(tmp_path, "--exit-during-initialize") as client:
        client.send("initialize", {"protocolVersion": 1})
        assert client.receive() is None
        assert client.stderr() == "scripted agent: told to end during initialize\n"

    assert client.process.returncode == 3


@requirement("scripted-agent:flags")
def test_it_may_hang_in_initialize_and_still_end_with_its_input(tmp_path: Path) -> None:
    with Client(tmp_path, "--hang-in-initialize") as client:
        client.send("initialize", {"protocolVersion": 1})
        unknown = client.send("anything", {})

        assert client.result(unknown)["error"]["code"] == -32601

    assert client.process.returncode == 0


@requirement("scripted-agent:flags")
def test_it_may_print_noise_before_it_answers_with_another_version(tmp_path: Path) -> None:
    with Client(tmp_path, "--noise", "--protocol", "7") as client:
        assert client.initialize()["result"]["protocolVersion"] == 7

    assert client.noise == ["warming up, this is not JSON\n"]


@requirement("scripted-agent:flags")
def test_it_may_ignore_a_cancel_and_a_term(tmp_path: Path) -> None:
    with Client(tmp_path, "--ignore-cancel", "--ignore-sigterm") as client:
        session = client.open()
        number = client.prompt(session, 'e2e:\nmessage("here")\nwait_for_file("go")')
        client.receive()
        client.cancel(session)
        client.process.send_signal(signal.SIGTERM)
        assert client.result(client.send("anything", {}))["error"]["code"] == -32601
        (tmp_path / "go").touch()

        assert client.result(number)["result"] == {"stopReason": "end_turn"}


@requirement("scripted-agent:ends")
def test_it_ends_with_its_input_and_takes_its_command_along(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "started")
    with Client(tmp_path) as client:
        client.prompt(client.open(), 'e2e:\nrun("echo $$ > started; sleep 600")')
        pid = int((tmp_path / "started").read_text(encoding="utf-8"))

    assert client.process.returncode == 0
    command = read(pid)
    assert command is None or command.ended


@requirement("scripted-agent:misbehaves")
def test_it_may_leave_a_stubborn_process_in_another_session(tmp_path: Path) -> None:
    with Client(tmp_path) as client:
        session = client.open()
        client.turn(session, "grandchild(600)")
        (left,) = [each for each in snapshot() if each.parent == client.process.pid]

        assert left.session == left.identity.pid

        client.turn(session, f'run("kill -9 {left.identity.pid}")')
