"""Launching: what an agent is given, what is refused, and that nothing is left of a failure."""

import asyncio
import os
import shutil
import stat
import subprocess
import sys

import pytest

from adapters.agentctl import wire
from adapters.agentctl.server.instance import Instance
from adapters.process.table import read
from ports.runtime import RuntimeCode
from tests.adapters.agentctl.server.conftest import AGENT, House, Open, texts, turn, watch
from tests.eventually import eventually
from tests.requirements import requirement

pytestmark = pytest.mark.anyio

HOST = wire.Host("forge.example", "-----BEGIN CERTIFICATE-----\n")
MANAGED = wire.Managed([HOST], [wire.Lease("r1", "forge.example", "/p", "kdl_x", "kdc_y")])


def _children() -> set[str]:
    """The minimal agents that descend from this process."""
    table = subprocess.run(
        ["ps", "-ww", "-o", "pid=,args=", "--ppid", str(os.getpid())],
        capture_output=True,
        text=True,
        check=True,
    )
    return {line for line in table.stdout.splitlines() if "minimal.py" in line}


def _lives(pid: int) -> bool:
    process = read(pid)
    return process is not None and not process.ended


def _nothing_left(house: House) -> bool:
    return (
        not _children()
        and not house.sockets.held
        and not house.instances.all()
        and not list((house.home / "instances").glob("*"))
        and not house.workspace.exists()
    )


@requirement("agentctl:launch")
async def test_a_launch_answers_when_the_agent_has_a_conversation(house: House) -> None:
    created = (await house.create()).unwrap()
    instance = house.instances.all()[0]
    await instance.stop()
    seen = await watch(instance)

    assert created == wire.Created("s1", False, None, [], {"loadSession": False})
    assert [event.kind for event in seen] == ["session_status", "exited"]
    assert seen[0].body == {"status": "new", "acp_session": "s1", "lost_context": None}


@requirement("agentctl:launch")
@requirement("agentctl:protocol:replay")
async def test_a_loaded_conversation_is_not_told_again(house: House) -> None:
    created = (await house.create("load=replay", acp_session="s0")).unwrap()
    instance = house.instances.all()[0]
    seen = await turn(instance, 1, "say:news")
    everything = await watch(instance, "complete")

    assert (created.acp_session, created.resumed, created.lost_context) == ("s0", True, None)
    assert texts(seen) == texts(everything) == ["news"]
    assert [event.kind for event in everything[:2]] == ["plan", "session_status"]


@requirement("agentctl:protocol:replay")
async def test_however_much_is_replayed_the_transcript_has_each_message_once(
    house: House,
) -> None:
    (await house.create("load=many", acp_session="s0")).unwrap()
    instance = house.instances.all()[0]

    await turn(instance, 1, "say:new")
    everything = await watch(instance, "complete")

    assert [event.kind for event in everything] == [
        "session_status",
        "turn_started",
        "message_chunk",
        "complete",
    ]


@requirement("agentctl:protocol:replay")
async def test_a_conversation_that_failed_to_load_leaves_no_trace(house: House) -> None:
    created = (await house.create("load=partial", acp_session="s0")).unwrap()
    instance = house.instances.all()[0]

    await turn(instance, 1, "say:new")
    everything = await watch(instance, "complete")

    assert (created.acp_session, created.resumed) == ("s1", False)
    assert [event.kind for event in everything] == [
        "session_status",
        "turn_started",
        "message_chunk",
        "complete",
    ]


@requirement("agentctl:launch")
@pytest.mark.parametrize(
    ("options", "reason"), [(["load=missing"], "not found"), ([], "cannot load")]
)
async def test_a_conversation_that_cannot_be_loaded_is_replaced_and_that_is_said(
    house: House, options: list[str], reason: str
) -> None:
    created = (await house.create(*options, acp_session="s0")).unwrap()

    assert (created.acp_session, created.resumed) == ("s1", False)
    assert created.lost_context is not None
    assert reason in created.lost_context


@requirement("agentctl:launch:refusals")
@requirement("agentctl:launch:nothing-left")
@pytest.mark.parametrize(
    ("options", "members", "code", "words"),
    [
        (["initialize=die"], {}, RuntimeCode.AGENT_DIED, "status 7"),
        (["initialize=malformed"], {}, RuntimeCode.PROTOCOL, "protocolVersion"),
        (["new=refuse"], {}, RuntimeCode.AGENT_REFUSED, "Login first"),
        (["load=die"], {"acp_session": "s0"}, RuntimeCode.AGENT_DIED, "session/load"),
        (["noise=1001"], {}, RuntimeCode.PROTOCOL, "no message"),
        (["noise=10000"], {}, RuntimeCode.PROTOCOL, "no message"),
        (["cut=1"], {}, RuntimeCode.PROTOCOL, "cut off"),
        ([], {"command": ["/no/such/agent"]}, RuntimeCode.AGENT_MISSING, "/no/such/agent"),
        ([], {"command": ["agent"]}, RuntimeCode.AGENT_MISSING, "agent"),
        ([], {"command": []}, RuntimeCode.INVALID, "command"),
        ([], {"execution": "../e"}, RuntimeCode.INVALID, "id"),
        ([], {"executor": "docker"}, RuntimeCode.INVALID, "docker"),
        ([], {"workspace": "relative"}, RuntimeCode.INVALID, "absolute"),
        (
            [],
            {"layers": [wire.Layer("request", {"GIT_CONFIG_COUNT": "two"})]},
            RuntimeCode.ENVIRONMENT,
            "GIT_CONFIG_COUNT",
        ),
        (
            [],
            {
                "layers": [
                    wire.Layer("agent profile", {"A": "secret-value"}, ["A"]),
                    wire.Layer("executor profile", {"A": "other"}),
                ]
            },
            RuntimeCode.ENVIRONMENT,
            "A",
        ),
    ],
)
async def test_a_launch_that_cannot_succeed_is_refused_and_leaves_nothing(
    house: House,
    options: list[str],
    members: dict[str, object],
    code: RuntimeCode,
    words: str,
) -> None:
    problem = (await house.create(*options, **{"managed": MANAGED, **members})).failure()

    assert problem.code is code
    assert words in problem.detail
    assert "secret-value" not in problem.detail
    assert _nothing_left(house)


@requirement("agentctl:protocol:version")
@pytest.mark.parametrize("version", [0, 2])
async def test_another_version_of_the_protocol_is_refused(house: House, version: int) -> None:
    problem = (await house.create(f"version={version}")).failure()

    assert (problem.code, f"version {version}" in problem.detail) == (RuntimeCode.PROTOCOL, True)
    assert _nothing_left(house)


@requirement("agentctl:launch:refusals")
@requirement("agentctl:stderr")
async def test_a_refused_launch_shows_the_last_words_of_the_agent(house: House) -> None:
    problem = (await house.create("initialize=die")).failure()

    assert problem.stderr == "cannot start: no config"


@requirement("agentctl:launch:refusals")
async def test_an_agent_that_says_nothing_is_given_up(open_house: Open) -> None:
    async with open_house(initialize=0.2) as house:
        problem = (await house.create("initialize=silent")).failure()

        assert problem.code is RuntimeCode.AGENT_SILENT
        assert _nothing_left(house)


@requirement("agentctl:launch:refusals")
async def test_an_execution_is_created_once(house: House) -> None:
    first, second = await asyncio.gather(house.create(), house.create())
    third = await house.create()

    assert sorted(type(outcome).__name__ for outcome in (first, second)) == ["Failure", "Success"]
    assert third.failure().code is RuntimeCode.EXISTS


@requirement("agentctl:launch:nothing-left")
async def test_a_caller_that_gives_up_leaves_nothing(house: House) -> None:
    asked = house.asked("initialize=silent", managed=MANAGED)
    async with asyncio.TaskGroup() as group:
        creating = group.create_task(house.instances.create(asked))
        await eventually(lambda: bool(_children()))
        creating.cancel()

    await eventually(lambda: _nothing_left(house))


@requirement("agentctl:launch:nothing-left")
async def test_a_launch_that_was_given_up_is_undone_whole_when_agentctl_ends(
    open_house: Open,
) -> None:
    async with open_house() as house, asyncio.TaskGroup() as group:
        asked = house.asked("initialize=silent", managed=MANAGED)
        creating = group.create_task(house.instances.create(asked))
        await eventually(lambda: bool(_children()))
        creating.cancel()
        await asyncio.wait({creating})
        await asyncio.sleep(0)  # what undoes it has begun

    assert _nothing_left(house)


@requirement("agentctl:launch:nothing-left")
async def test_sockets_that_cannot_be_opened_refuse_the_launch(house: House) -> None:
    house.sockets.refuses = OSError(28, "No space left on device")

    problem = (await house.create(managed=MANAGED)).failure()

    assert problem.code is RuntimeCode.DISK_FULL
    assert _nothing_left(house)


@requirement("agentctl:launch:environment")
async def test_the_agent_sees_the_composed_environment_and_none_of_ours(open_house: Open) -> None:
    host = {
        "KANDEV_API_TOKEN": "ours",
        "AGENTCTL_PORT": "1",
        "GIT_DIR": "/elsewhere",
        "HOST_ONLY": "host",
        "BOTH": "host",
    }
    layers = [wire.Layer("agent profile", {"BOTH": "profile", "GIT_WORK_TREE": "/x"})]
    names = ["KANDEV_API_TOKEN", "AGENTCTL_PORT", "GIT_DIR", "GIT_WORK_TREE", "HOST_ONLY", "BOTH"]
    own = ["KANDEV_TASK_ID", "KANDEV_SESSION_ID", "KANDEV_EXECUTION_ID", "KANDEV_BROKER_SOCKET"]
    async with open_house(host) as house:
        created = (await house.create(layers=layers)).unwrap()
        instance = house.instances.all()[0]

        seen = await turn(instance, 1, " ".join(f"env:{name}" for name in (*names, *own)))

        assert texts(seen)[: len(names)] == ["unset"] * 4 + ["host", "profile"]
        assert texts(seen)[len(names) :] == ["t1", "s1", house.execution, "unset"]
        assert created.removed == ["GIT_DIR", "GIT_WORK_TREE"]


@requirement("agentctl:launch:environment")
async def test_managed_access_comes_last_and_whole(open_house: Open) -> None:
    host = {
        "GIT_CONFIG_COUNT": "1",
        "GIT_CONFIG_KEY_0": "core.hooksPath",
        "GIT_CONFIG_VALUE_0": "/hooks",
        "GIT_CONFIG_PARAMETERS": "'x.y=1'",
        "GITHUB_TOKEN": "ambient",
    }
    async with open_house(host) as house:
        created = (await house.create(managed=MANAGED, removes=["GITHUB_TOKEN"])).unwrap()
        instance = house.instances.all()[0]
        names = ["GITHUB_TOKEN", "GIT_CONFIG_PARAMETERS", "GIT_TERMINAL_PROMPT", "PATH"]
        seen = texts(
            await turn(
                instance,
                1,
                " ".join(f"env:{name}" for name in names)
                + " git:config,--get-regexp,(core.hookspath|credential|http).*",
            )
        )
        authority = house.home / "instances" / house.execution / "authority-0.pem"

        tools = house.home / "tools"
        assert seen[:3] == ["unset", "unset", "0"]
        assert seen[3].split(":")[0] == str(tools)
        assert seen[4].splitlines() == [
            "core.hookspath /hooks",
            "credential.https://forge.example.usehttppath true",
            f"http.https://forge.example.sslcainfo {authority}",
            "credential.https://forge.example.helper ",
            f"credential.https://forge.example.helper !'{tools}/git-credential-kandev'",
            "credential.https://forge.example.helper !echo quit=1; :",
        ]
        assert stat.S_IMODE(authority.stat().st_mode) == 0o600
        assert created.removed == ["GITHUB_TOKEN", "GIT_CONFIG_PARAMETERS"]
        assert isinstance(instance, Instance)
        assert house.sockets.held[0].admitted == instance.identity
        assert house.sockets.leases == MANAGED.leases


@requirement("agentctl:stop")
async def test_stopping_ends_descendants_that_ignore_everything(house: House) -> None:
    instance = await house.launch("term=ignore", "eof=ignore")
    child = int(texts(await turn(instance, 1, "child"))[0])
    assert instance.identity is not None
    pid, _ = instance.identity

    await instance.stop()
    seen = await watch(instance)

    assert not _lives(pid)
    assert not _lives(child)
    assert seen[-1].kind == "exited"
    assert seen[-1].body["asked"] is True


@requirement("agentctl:stop")
async def test_a_wrapper_is_ended_with_the_agent_that_it_started(house: House) -> None:
    inner = house.home / "inner.sh"
    agent = f"{sys.executable} -I {AGENT}"
    inner.write_text(f"trap '' TERM\necho $$ > {house.home}/inner.pid\n{agent}\nsleep 600\n")
    command = [str(shutil.which("bash")), "-c", f"bash {inner} ; :"]
    instance = await house.launch(command=command)
    await turn(instance, 1, "say:hi")
    pid = int((house.home / "inner.pid").read_text())
    assert _lives(pid)

    await instance.stop()

    assert not _lives(pid)


@requirement("agentctl:stop")
async def test_a_turn_that_runs_when_its_agent_is_stopped_is_cancelled(house: House) -> None:
    instance = await house.launch()
    instance.prompt(4, "say:begun wait").unwrap()
    await watch(instance, "message_chunk")

    await instance.stop()
    seen = await watch(instance)

    assert [event.kind for event in seen[-2:]] == ["complete", "exited"]
    assert (seen[-2].generation, seen[-2].body["state"]) == (4, "cancelled")


@requirement("agentctl:stop")
async def test_the_log_of_a_stopped_instance_is_there_until_it_is_released(house: House) -> None:
    instance = await house.launch()
    await instance.stop()
    listed = house.instances.all()
    seen = await watch(instance)

    house.instances.release(instance)

    assert listed == [instance]
    assert seen[-1].kind == "exited"
    assert not list((house.home / "instances").glob("*"))
    assert house.instances.find(instance.handle) is None


@requirement("agentctl:protocol:noise")
async def test_a_banner_before_the_first_message_is_kept_and_costs_nothing(house: House) -> None:
    instance = await house.launch("banner=1")

    seen = await turn(instance, 1, "say:hi")
    everything = await watch(instance, "complete")

    assert texts(seen) == ["hi"]
    assert [each.body["text"] for each in everything if each.kind == "noise"] == [
        *["\x1b[32m=====\x1b[0m"] * 3,
        '"ready"',
    ]


@requirement("agentctl:protocol:noise")
async def test_noise_within_the_bound_is_tolerated_and_kept(house: House) -> None:
    instance = await house.launch("noise=1000")

    seen = await turn(instance, 1, "noise:2 say:hi")
    everything = await watch(instance, "complete")

    assert texts(seen) == ["hi"]
    noise = [event for event in everything if event.kind == "noise"]
    assert len(noise) == 1002
    assert noise[0].body == {"reason": "no_message", "text": "this is no message", "bytes": 18}


@requirement("agentctl:protocol:lines")
async def test_a_message_past_the_bound_ends_the_agent_with_its_turn(open_house: Open) -> None:
    async with open_house(line=100_000) as house:
        instance = await house.launch()

        within = await turn(instance, 1, "big:99000")
        instance.prompt(2, "say:before big:100000").unwrap()
        seen = await watch(instance, after=within[-1].n)

        assert [len(text) for text in texts(within)] == [99000]
        assert texts(seen) == ["before"]
        assert [event.kind for event in seen[-4:]] == ["error", "error", "complete", "exited"]
        assert seen[-4].body["code"] == "agent_protocol"
        assert seen[-2].body["state"] == "failed"


@requirement("agentctl:launch")
async def test_the_agent_works_in_its_workspace(house: House) -> None:
    instance = await house.launch()

    assert texts(await turn(instance, 1, "cwd")) == [str(house.workspace)]


@requirement("profile:secret")
async def test_a_secret_of_a_layer_is_masked_in_whatever_the_agent_says(house: House) -> None:
    value = "kept-out-of-sight"
    secret = wire.Layer("agent profile Fast", {"TOKEN": value, "PLAIN": "seen"}, ["TOKEN"])

    instance = await house.launch(layers=[secret])
    seen = await turn(instance, 1, f"say:{value} say:seen")

    assert texts(seen) == ["[REDACTED]", "seen"]
