"""Talk to an agent, let it ask, cancel it, stop it, resume it: through real processes."""

import asyncio
import os
from pathlib import Path
from typing import Any

import pytest

from composition.client import ApiError
from tests.e2e.kandev import Driver, Installation, call, script
from tests.eventually import eventually
from tests.requirements import requirement

pytestmark = [pytest.mark.anyio, pytest.mark.timeout(90)]


async def begin(kandev: Driver, checkout: Path, agent: str = "demo", **options: object) -> str:
    await kandev.workspace_of()
    repository = await kandev.repository({"local_path": str(checkout)})
    session = await kandev.launch(await kandev.task(repository), agent, **options)
    return str(session["id"])


def states(events: list[dict[str, Any]]) -> list[object]:
    return [event["body"]["state"] for event in events if event["kind"] == "complete"]


@requirement("session:worktree")
async def test_an_agent_works_in_a_worktree_on_a_branch_of_its_own(
    installation: Installation, checkout: Path
) -> None:
    async with installation.server() as kandev:
        session = await begin(kandev, checkout)
        events = await kandev.turn(
            session, script(call("edit", "new.txt", "made"), call("message", "done"))
        )
        shown = await kandev.session(session)

    workspace = Path(shown["metadata"]["workspace"])
    assert (workspace / "new.txt").read_text(encoding="utf-8") == "made"
    assert not (checkout / "new.txt").exists()
    assert states(events) == ["completed"]
    head = (workspace / ".git").read_text(encoding="utf-8")
    assert str(checkout / ".git/worktrees") in head
    assert [event["sequence"] for event in events] == list(range(1, len(events) + 1))


@requirement("session:permission")
@pytest.mark.parametrize(
    ("option", "said"),
    [("allow", "done"), ("reject", "permission denied"), (None, "permission denied")],
)
async def test_a_person_answers_what_the_agent_asks(
    installation: Installation, checkout: Path, option: str | None, said: str
) -> None:
    async with installation.server() as kandev:
        session = await begin(kandev, checkout)
        asking = script(call("permission", "Delete everything?"), call("message", "done"))
        await kandev.prompt(session, asking)
        asked = (await kandev.until(session, "permission_request"))[-1]
        path = f"/api/v1/sessions/{session}/permissions/{asked['body']['id']}"
        await kandev.client.post(path, {"option_id": option})
        events = await kandev.until(session, "complete", asked["sequence"])
        with pytest.raises(ApiError) as answered_twice:
            await kandev.client.post(path, {"option_id": option})

    texts = [event["body"]["text"] for event in events if event["kind"] == "message_chunk"]
    assert [text.split(":")[0] for text in texts] == [said]
    assert answered_twice.value.code == "no_such_permission"


@requirement("session:cancel")
async def test_a_cancelled_turn_ends_once_and_the_next_one_works(
    installation: Installation, checkout: Path
) -> None:
    async with installation.server() as kandev:
        session = await begin(kandev, checkout)
        await kandev.prompt(session, script(call("message", "waiting"), call("delay", 600_000)))
        first = await kandev.until(session, "message_chunk")
        await kandev.client.post(f"/api/v1/sessions/{session}/cancel")
        cancelled = await kandev.until(session, "complete", first[-1]["sequence"])
        await kandev.until_state(session, "idle")
        following = await kandev.turn(
            session, script(call("message", "again")), cancelled[-1]["sequence"]
        )
        turns = await kandev.client.get(f"/api/v1/sessions/{session}/turns")

    assert states(cancelled) == ["cancelled"]
    assert states(following) == ["completed"]
    assert [turn["state"] for turn in turns] == ["cancelled", "completed"]


@requirement("session:busy")
async def test_a_second_prompt_during_a_turn_is_refused_and_changes_nothing(
    installation: Installation, checkout: Path
) -> None:
    async with installation.server() as kandev:
        session = await begin(kandev, checkout)
        await kandev.prompt(session, script(call("wait_for_file", "go")))
        with pytest.raises(ApiError) as refused:
            await kandev.prompt(session, "and this")
        shown = await kandev.session(session)
        Path(shown["metadata"]["workspace"], "go").touch()
        events = await kandev.until(session, "complete")

    assert refused.value.code == "session_state"
    assert states(events) == ["completed"]


@requirement("session:stop-whole")
async def test_stopping_ends_the_agent_and_what_it_left_behind(
    installation: Installation, checkout: Path
) -> None:
    async with installation.server() as kandev:
        session = await begin(kandev, checkout)
        await kandev.turn(session, script(call("grandchild", 600)))
        left = processes_of(session)
        await kandev.stop(session)

        assert len(left) == 2
        assert processes_of(session) == []


@requirement("session:resume")
async def test_a_resumed_session_continues_its_conversation_in_its_worktree(
    installation: Installation, checkout: Path
) -> None:
    async with installation.server() as kandev:
        session = await begin(kandev, checkout)
        first = await kandev.turn(session, script(call("edit", "kept.txt", "kept")))
        before = await kandev.stop(session)
        resumed = await kandev.client.post(f"/api/v1/sessions/{session}/resume", {})
        events = await kandev.client.get(f"/api/v1/sessions/{session}")
        again = await kandev.turn(
            session, script(call("run", "cat kept.txt")), first[-1]["sequence"]
        )

    assert resumed["acp_session_id"] == before["acp_session_id"]
    assert resumed["execution_id"] != before["execution_id"]
    assert resumed["metadata"]["lost_context"] is None
    assert resumed["metadata"]["workspace"] == before["metadata"]["workspace"]
    assert events["state"] == "idle"
    assert states(again) == ["completed"]


@requirement("session:lost-context")
async def test_a_conversation_that_cannot_be_loaded_is_begun_anew_and_said_so(
    installation: Installation, checkout: Path
) -> None:
    installation.name_agent("forgetful", "--fail-load")
    async with installation.server() as kandev:
        session = await begin(kandev, checkout, "forgetful")
        before = await kandev.stop(session)
        resumed = await kandev.client.post(f"/api/v1/sessions/{session}/resume", {})

    assert resumed["acp_session_id"] != before["acp_session_id"]
    assert resumed["metadata"]["lost_context"]


@requirement("session:crash")
async def test_an_agent_that_crashes_interrupts_its_turn_and_can_be_resumed(
    installation: Installation, checkout: Path
) -> None:
    async with installation.server() as kandev:
        session = await begin(kandev, checkout)
        events = await kandev.turn(session, script(call("message", "bye"), call("crash", 7)))
        await kandev.until_state(session, "stopped")
        resumed = await kandev.client.post(f"/api/v1/sessions/{session}/resume", {})

    assert states(events) in (["failed"], ["interrupted"])
    assert resumed["state"] == "idle"


@requirement("session:survives")
async def test_a_turn_outlives_the_control_plane_and_its_events_are_all_there(
    installation: Installation, checkout: Path
) -> None:
    async with installation.server(owned=False) as kandev:
        session = await begin(kandev, checkout)
        await kandev.prompt(
            session,
            script(call("message", "one"), call("wait_for_file", "go"), call("message", "two")),
        )
        await kandev.until(session, "message_chunk")
        shown = await kandev.session(session)

    Path(shown["metadata"]["workspace"], "go").touch()
    async with installation.server() as kandev:
        events = await kandev.until(session, "complete")
        after = await kandev.until_state(session, "idle")
        again = await kandev.turn(session, script(call("message", "three")), events[-1]["sequence"])

    texts = [event["body"]["text"] for event in events if event["kind"] == "message_chunk"]
    assert texts == ["one", "two"]
    assert [event["sequence"] for event in events] == list(range(1, len(events) + 1))
    assert after["execution_id"] == shown["execution_id"]
    assert states(again) == ["completed"]


WORDS = [f"word {number}" for number in range(40)]


@requirement("session:killed-host")
async def test_an_agentctl_that_is_killed_loses_no_event_and_leaves_no_agent(
    installation: Installation, checkout: Path
) -> None:
    async with installation.server() as kandev:
        session, workspace = await about_to_speak(kandev, checkout)
        (workspace / "go").touch()
        await kandev.until(session, "tool_call")
        installation.kill_agentctl()
        await ended_whole(kandev, session)


@requirement("session:killed-host")
async def test_an_agentctl_that_is_killed_while_nobody_looks_loses_no_event_and_leaves_no_agent(
    installation: Installation, checkout: Path
) -> None:
    async with installation.server(owned=False) as kandev:
        session, workspace = await about_to_speak(kandev, checkout)

    (workspace / "go").touch()
    await eventually(lambda: heard(installation, WORDS[-1]))
    bury(installation.kill_agentctl())
    async with installation.server() as kandev:
        await ended_whole(kandev, session)


async def about_to_speak(kandev: Driver, checkout: Path) -> tuple[str, Path]:
    """A session in a turn that says its words once there is a file to wait for."""
    session = await begin(kandev, checkout)
    directives = [call("wait_for_file", "go"), *(call("message", word) for word in WORDS)]
    directives += [call("edit", "said", ""), call("delay", 600_000)]
    await kandev.prompt(session, script(*directives))
    return session, Path((await kandev.session(session))["metadata"]["workspace"])


async def ended_whole(kandev: Driver, session: str) -> None:
    """The turn was interrupted after all its words, no agent is left, and the next one starts."""
    events = await kandev.until(session, "complete")
    stopped = await kandev.until_state(session, "stopped")
    left = processes_of(session)
    resumed = await kandev.client.post(f"/api/v1/sessions/{session}/resume", {})

    assert states(events) == ["interrupted"]
    texts = [event["body"]["text"] for event in events if event["kind"] == "message_chunk"]
    assert texts == WORDS
    assert left == []
    assert stopped["execution_id"] != resumed["execution_id"]


def heard(installation: Installation, word: str) -> bool:
    """Whether agentctl has it: what is still in the agent's pipe dies with its reader."""
    files = [each for each in (installation.home / "instances").rglob("*") if each.is_file()]
    return any(word.encode() in each.read_bytes() for each in files)


def bury(killed: list[int]) -> None:
    """Wait for children of this process, in which the server that is away ran."""
    for process in killed:
        os.waitpid(process, 0)


def processes_of(session: str) -> list[int]:
    """Agents of a session and their descendants: they carry its id in their environment."""
    mark = f"KANDEV_SESSION_ID={session}".encode()
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit() and int(entry.name) != os.getpid():
            try:
                if mark in (entry / "environ").read_bytes():
                    found.append(int(entry.name))
            except OSError:
                continue
    return found


async def test_two_sessions_of_one_task_do_not_share_its_worktree(
    installation: Installation, checkout: Path
) -> None:
    async with installation.server() as kandev:
        await kandev.workspace_of()
        task = await kandev.task(await kandev.repository({"local_path": str(checkout)}))
        outcomes = await asyncio.gather(
            kandev.launch(task),
            kandev.launch(task, approve_automatically=True),
            return_exceptions=True,
        )

    refused = [each for each in outcomes if isinstance(each, ApiError)]
    assert [each.code for each in refused] == ["task_busy"]
