"""An instance's socket, asked by real git through the real helper."""

import asyncio
import os
import stat
import sys
from pathlib import Path

import pytest

from adapters.agentctl import process_stat
from adapters.agentctl.server.listening import bind
from adapters.agentctl.wire import CredentialAnswer, CredentialAsk
from domain.broker_bounds import BrokerBounds
from domain.broker_contract import MAX_SOCKET_BYTES, NAMES
from domain.git_credential import MAX_REQUEST_BYTES
from domain.identity import ExecutionId
from domain.refusal_loop import MAX_AGAIN
from tests.adapters.agentctl.broker.conftest import (
    FILLED,
    GADGETS,
    HOST,
    WIDGETS,
    Desk,
    Ended,
    Managed,
    Open,
    run,
)
from tests.eventually import eventually
from tests.requirements import requirement

pytestmark = pytest.mark.anyio

QUIT = "told us to quit"
PEER = """
import os, socket, sys, time
for parent in sys.argv[2:]:
    while os.getppid() == int(parent):
        time.sleep(0.01)
peer = socket.socket(socket.AF_UNIX)
peer.connect(sys.argv[1])
peer.sendall(sys.stdin.buffer.read())
peer.shutdown(socket.SHUT_WR)
sys.stdout.buffer.write(peer.makefile("rb").read())
"""


async def _say(managed: Managed, data: bytes) -> bytes:
    """What the socket answers to raw bytes of this process."""
    reader, writer = await asyncio.open_unix_connection(managed.socket.path)
    writer.write(data)
    writer.write_eof()
    async with asyncio.timeout(20):
        answer = await reader.read()
    writer.close()
    await writer.wait_closed()
    return answer


def _refused(ended: Ended) -> bool:
    return ended.status == 128 and QUIT in ended.stderr and "s3cret" not in ended.stdout


@requirement("broker:socket:answer")
async def test_git_is_given_the_credential_of_the_repository_it_asks_for(desk: Desk) -> None:
    managed = await desk.instance(WIDGETS, GADGETS)
    desk.desk.given[HOST + "/acme/gadgets"] = CredentialAnswer("oauth2", "other", None)

    first = await managed.fill()
    second = await managed.fill(f"https://{HOST}/acme/gadgets.git")

    assert first == Ended(0, FILLED, "")
    assert "username=oauth2\npassword=other\n" in second.stdout
    assert [asked.path for _, asked in desk.desk.asked] == ["/acme/widgets", "/acme/gadgets"]


@requirement("broker:socket:answer")
async def test_the_control_plane_is_asked_for_the_instances_execution_with_its_lease(
    desk: Desk,
) -> None:
    managed = await desk.instance(execution="e7")
    await managed.fill()

    execution, asked = desk.desk.asked[0]
    assert execution == ExecutionId("e7")
    assert asked == CredentialAsk(
        "get", HOST, "/acme/widgets", "kdl_widgets", "kdc_widgets", asked.pid, "inside"
    )


@requirement("broker:socket:nothing-kept")
async def test_every_question_goes_to_the_control_plane(desk: Desk) -> None:
    managed = await desk.instance()
    await managed.fill()
    desk.desk.given[HOST + "/acme/widgets"] = CredentialAnswer("x-access-token", "rotated", None)

    assert "password=rotated\n" in (await managed.fill()).stdout


@requirement("broker:socket:nothing-kept")
async def test_a_store_reaches_neither_the_socket_nor_a_daemon(desk: Desk) -> None:
    managed = await desk.instance()

    stored = await managed.git("approve", f"{FILLED}\n")

    assert stored.status == 0
    assert desk.desk.asked == []
    assert not list(desk.home.glob("**/.git-credential-cache*"))
    assert not list(desk.home.glob("**/.cache/git"))


@requirement("broker:socket:expiry")
async def test_an_expiry_and_a_renewed_lease_are_passed_on_and_used(desk: Desk) -> None:
    managed = await desk.instance()
    desk.desk.given[HOST + "/acme/widgets"] = CredentialAnswer("u", "p4ss", 4_000_000_000, "kdl_b")

    said = await _say(
        managed, b"action=get\nprotocol=https\nhost=forge.example\npath=acme/widgets\n"
    )
    await managed.fill()

    assert said == b"username=u\npassword=p4ss\npassword_expiry_utc=4000000000\n\n"
    assert [asked.lease for _, asked in desk.desk.asked] == ["kdl_widgets", "kdl_b"]


@requirement("ledger:push")
async def test_after_each_credential_that_was_given_and_only_then_somebody_is_called(
    desk: Desk,
) -> None:
    managed = await desk.instance()
    called: list[float] = []

    async def given(ago: float) -> None:
        called.append(ago)

    managed.socket.after_giving(given)
    await managed.fill("https://forge.example/acme/other")
    await managed.git("reject", f"url=https://u:p@{HOST}/acme/widgets\n\n")
    before = len(called)
    await managed.fill()
    await managed.fill()
    await eventually(lambda: len(called) == 2)

    assert before == 0
    assert all(ago >= 0 for ago in called)


@requirement("broker:redaction")
async def test_all_that_passes_is_registered_to_be_redacted(desk: Desk) -> None:
    managed = await desk.instance()
    desk.desk.given[HOST + "/acme/widgets"] = CredentialAnswer("u", "p4ss", None, "kdl_b")
    await managed.fill()

    assert desk.redactor.registered == {"kdl_widgets", "kdc_widgets", "p4ss", "kdl_b"}


@requirement("broker:socket:quit")
@pytest.mark.parametrize(
    "url",
    [
        f"https://{HOST}/acme/other",
        f"https://{HOST}/acme/Widgets",
        f"https://{HOST}/acme/widgets-staging",
        f"https://{HOST}/acme/widgets%2fmore",
    ],
)
async def test_another_repository_makes_git_stop_and_asks_nobody(desk: Desk, url: str) -> None:
    managed = await desk.instance()

    assert _refused(await managed.fill(url))
    assert desk.desk.asked == []


@requirement("broker:socket:quit")
async def test_a_refusal_of_the_control_plane_makes_git_stop(desk: Desk) -> None:
    managed = await desk.instance()
    desk.desk.given.clear()

    assert _refused(await managed.fill())


@requirement("broker:socket:quit")
@pytest.mark.parametrize("ruin", ["socket", "broker", "helper", "directory"])
async def test_whatever_is_missing_no_ambient_credential_answers(desk: Desk, ruin: str) -> None:
    managed = await desk.instance()
    ambient = desk.home / "ambient"
    ambient.write_text(f"#!/bin/sh\ntouch '{desk.home.parent}/asked'\necho password=x\n", "utf-8")
    ambient.chmod(0o700)
    (desk.home / ".gitconfig").write_text(
        f"[credential]\n\thelper = \"!'{desk.home.parent}/it\\\\'s a home/ambient'\"\n"
        f"[core]\n\taskPass = {ambient}\n",
        "utf-8",
    )
    if ruin == "socket":
        managed.socket.path.unlink()
    elif ruin == "broker":
        await managed.socket.served.close()
    elif ruin == "helper":
        (managed.tools / "git-credential-kandev").unlink()
    else:
        await desk.sockets.tools.__aexit__(None, None, None)

    assert _refused(await managed.fill(SSH_ASKPASS=str(ambient), DISPLAY=":0"))
    assert not (desk.home.parent / "asked").exists()


@requirement("broker:socket:quit")
async def test_another_host_keeps_the_helper_of_the_user(desk: Desk) -> None:
    managed = await desk.instance()
    (desk.home / ".gitconfig").write_text(
        '[credential]\n\thelper = "!echo username=mine; echo password=own; :"\n', "utf-8"
    )

    other = await managed.fill("https://other.example/acme/widgets")

    assert other.stdout == "protocol=https\nhost=other.example\nusername=mine\npassword=own\n"
    assert desk.desk.asked == []


@requirement("broker:socket:protocol")
@pytest.mark.parametrize(
    ("data", "answer"),
    [
        (b"", b"quit=1\n\n"),
        (b"action=store\nprotocol=https\nhost=forge.example\npath=acme/widgets\n", b"quit=1\n\n"),
        (b"action=get\nprotocol=http\nhost=forge.example\npath=acme/widgets\n", b"quit=1\n\n"),
        (b"action=get\nprotocol=https\nhost=forge.example\npath=acme/wid\0gets\n", b"quit=1\n\n"),
        (b"action=get\nprotocol=https\nhost=forge.example\n", b"quit=1\n\n"),
        (b"action=get\n" + b"a=" + b"b" * MAX_REQUEST_BYTES, b"quit=1\n\n"),
        (b"action=erase\nprotocol=https\nhost=forge.example\npassword=x\n", b""),
        (
            (
                b"action=get\ncapability[]=authtype\nprotocol=https\nhost=FORGE.example:443\n"
                b"path=acme/widgets.git\nwwwauth[]=Basic\n\nprotocol=http\n"
            ),
            (b"capability[]=authtype\nusername=x-access-token\npassword=s3cret\nephemeral=1\n\n"),
        ),
    ],
)
async def test_the_protocol_is_spoken_exactly(desk: Desk, data: bytes, answer: bytes) -> None:
    assert await _say(await desk.instance(), data) == answer


@requirement("broker:socket:loop")
async def test_a_secret_refused_and_asked_for_again_and_again_ends_in_quit(desk: Desk) -> None:
    managed = await desk.instance()
    asked = []
    for _ in range(MAX_AGAIN + 1):
        asked.append(await managed.fill())
        await managed.git("reject", f"{FILLED}\n")

    assert [each.status for each in asked[:-1]] == [0] * MAX_AGAIN
    assert _refused(asked[-1])


@requirement("broker:socket:private")
async def test_the_socket_is_private_unguessable_and_gone_with_its_instance(desk: Desk) -> None:
    first, second = await desk.instance(execution="e1"), await desk.instance(execution="e2")
    path, directory = first.socket.path, first.socket.path.parent

    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(directory.stat().st_mode) == 0o700
    assert len({each.socket.path.name.split("-")[-1] for each in (first, second)}) == 2
    await first.socket.close()
    assert not path.exists()
    assert second.socket.path.exists()


@requirement("broker:socket:private")
async def test_the_environment_has_the_whole_contract_and_no_secret(desk: Desk) -> None:
    managed = await desk.instance()
    variables = managed.socket.opened.variables

    assert variables.keys() == NAMES
    assert not any("kdl_" in value or "kdc_" in value for value in variables.values())


async def test_a_path_over_the_bound_is_refused_and_leaves_nothing(tmp_path: Path) -> None:
    room = MAX_SOCKET_BYTES - len(os.fsencode(tmp_path)) - 1
    bind(tmp_path / ("a" * room)).close()

    with pytest.raises(OSError, match="at most 107 bytes"):
        bind(tmp_path / ("b" * (room + 1)))
    assert [path.name for path in tmp_path.iterdir()] == ["a" * room]


async def test_sockets_that_an_earlier_agentctl_left_are_removed(
    open_desk: Open, home: Path
) -> None:
    runtime = home / "run"
    runtime.mkdir()
    pid, started = process_stat.ourselves()
    left = runtime / f"{pid}-{started + 1}-{'0' * 16}.git.sock"
    kept = (runtime / f"{pid}-{started}-{'0' * 16}.git.sock", runtime / "other.sock")
    for path in (left, *kept):
        path.touch()

    async with open_desk():
        assert not left.exists()
        assert all(path.exists() for path in kept)


@requirement("broker:socket:peer")
async def test_a_process_of_another_instance_is_refused(desk: Desk) -> None:
    managed = await desk.instance(execution="e1")
    other = await desk.instance(execution="e2")
    agent = await asyncio.create_subprocess_exec(
        sys.executable,
        "-c",
        PEER,
        str(managed.socket.path),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
    )
    known = process_stat.read(agent.pid)
    assert known is not None
    other.socket.admit(agent.pid, known.started)
    out, _ = await agent.communicate(
        b"action=get\nprotocol=https\nhost=forge.example\npath=acme/widgets\n"
    )

    assert out == b"quit=1\n\n"
    assert desk.desk.asked == []


@requirement("broker:socket:peer")
async def test_a_process_below_the_instances_agent_is_inside(desk: Desk) -> None:
    managed = await desk.instance()
    agent = await asyncio.create_subprocess_exec(
        "/bin/sh",
        "-c",
        'read go; "$1" -c "$2" "$3"; :',
        "sh",
        sys.executable,
        PEER,
        str(managed.socket.path),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
    )
    known = process_stat.read(agent.pid)
    assert known is not None
    managed.socket.admit(agent.pid, known.started)
    out, _ = await agent.communicate(
        b"go\naction=get\nprotocol=https\nhost=forge.example\npath=acme/widgets\n"
    )

    assert b"password=s3cret\n" in out
    assert desk.desk.asked[0][1].descent == "inside"


@requirement("broker:socket:peer")
async def test_an_orphan_is_answered_and_written_down_as_unknown(desk: Desk) -> None:
    managed = await desk.instance()
    # The peer asks when its parent has ended.
    script = '"$1" -c "$2" "$3" $$ <"$4" >"$4.out" & :'
    question = desk.home / "question"
    question.write_bytes(b"action=get\nprotocol=https\nhost=forge.example\npath=acme/widgets\n")
    ended = await run(
        [
            "setsid",
            "/bin/sh",
            "-c",
            script,
            "sh",
            sys.executable,
            PEER,
            str(managed.socket.path),
            str(question),
        ],
        os.environ,
    )
    answer = question.with_name("question.out")
    await eventually(lambda: answer.exists() and b"password=s3cret" in answer.read_bytes())

    assert ended.status == 0
    assert desk.desk.asked[0][1].descent == "unknown"


async def test_questions_over_the_bound_wait_for_their_turn(open_desk: Open) -> None:
    async with open_desk(BrokerBounds(questions=2)) as desk:
        managed = await desk.instance()
        desk.desk.open.clear()
        question = b"action=get\nprotocol=https\nhost=forge.example\npath=acme/widgets\n"
        async with asyncio.TaskGroup() as group:
            asking = [group.create_task(_say(managed, question)) for _ in range(3)]
            await eventually(lambda: len(desk.desk.asked) == 2)
            desk.desk.open.set()

        assert len(desk.desk.asked) == 3
        assert all(b"password=s3cret\n" in each.result() for each in asking)


async def test_a_question_that_does_not_end_is_given_up(open_desk: Open) -> None:
    async with open_desk(BrokerBounds(question=0.05)) as desk:
        managed = await desk.instance()
        reader, writer = await asyncio.open_unix_connection(managed.socket.path)
        writer.write(b"action=get\n")
        async with asyncio.timeout(20):
            assert await reader.read() == b""
        writer.close()
        await writer.wait_closed()


async def test_closing_gives_up_the_questions_under_way(desk: Desk) -> None:
    managed = await desk.instance()
    desk.desk.open.clear()
    async with asyncio.TaskGroup() as group:
        asking = group.create_task(managed.fill())
        await eventually(lambda: len(desk.desk.asked) == 1)
        await managed.socket.close()

    assert _refused(asking.result())
