"""Terminals that an agent asks for over its protocol: created, read, waited for, killed, released."""

import json
from collections.abc import Mapping
from typing import Any

import pytest

from adapters.agentctl import wire
from adapters.agentctl.server.instance import Instance
from adapters.process.table import read
from tests.adapters.agentctl.server.conftest import House, texts, turn
from tests.eventually import eventually
from tests.requirements import requirement

pytestmark = pytest.mark.anyio


class Asking:
    """Has the agent make one request of its client in each turn."""

    def __init__(self, instance: Instance) -> None:
        self._instance = instance
        self._turns = 0

    async def __call__(self, method: str, params: Mapping[str, object]) -> Any:
        self._turns += 1
        # A prompt's words are parted by spaces.
        compact = json.dumps(params, separators=(",", ":")).replace(" ", "\\u0020")
        seen = await turn(self._instance, self._turns, f"invoke:terminal/{method},{compact}")
        return json.loads(texts(seen)[0])

    async def created(self, *command: str, **members: object) -> dict[str, Any]:
        params = {"command": command[0], "args": list(command[1:]), **members}
        made: dict[str, Any] = await self("create", params)
        return made


@requirement("agentctl:protocol:terminals")
async def test_a_command_is_run_in_the_environment_with_what_is_added(house: House) -> None:
    layers = [wire.Layer("request", {"GIT_CONFIG_COUNT": "1"} | _entry(0, "x.one", "1"))]
    ask = Asking(await house.launch(layers=layers))
    added = {"GIT_CONFIG_COUNT": "1", **_entry(0, "x.two", "2"), "ADDED": "yes"}
    env = [{"name": name, "value": value} for name, value in added.items()]

    script = "echo $ADDED $KANDEV_TASK_ID; git config --get-regexp ^x; pwd; exit 3"
    made = await ask.created("sh", "-c", script, env=env)
    ended = await ask("wait_for_exit", made)
    output = await ask("output", made)

    assert ended == {"exitCode": 3}
    assert output == {
        "output": f"yes t1\nx.one 1\nx.two 2\n{house.workspace}\n",
        "truncated": False,
        "exitStatus": {"exitCode": 3},
    }


@requirement("agentctl:protocol:terminals")
async def test_a_killed_command_can_be_read_until_it_is_released(house: House) -> None:
    instance = await house.launch()
    ask = Asking(instance)
    made = await ask.created("echo $$ > pid; echo begun; exec sleep 600")
    pid = house.workspace / "pid"
    await eventually(lambda: pid.exists() and pid.read_text() != "")
    running = await ask("output", made)

    await ask("kill", made)
    killed = await ask("output", made)
    await ask("release", made)
    released = await ask("output", made)

    process = read(int(pid.read_text()))
    assert "exitStatus" not in running
    assert killed == {"output": "begun\n", "truncated": False, "exitStatus": {"signal": "SIGTERM"}}
    assert released["data"]["code"] == "no_such_process"
    assert process is None or process.ended
    assert list(instance.beside().unwrap().backgrounds.all()) == []


@requirement("agentctl:protocol:terminals")
async def test_the_end_of_an_output_is_kept_up_to_the_limit_that_was_asked_for(
    house: House,
) -> None:
    ask = Asking(await house.launch())
    made = await ask.created("printf", "%s", "abcdéfgh", outputByteLimit=4)
    await ask("wait_for_exit", made)

    output = await ask("output", made)

    assert (output["output"], output["truncated"]) == ("fgh", True)


@requirement("agentctl:protocol:terminals")
async def test_what_cannot_be_run_is_refused(house: House) -> None:
    ask = Asking(await house.launch())
    missing = await ask.created("no-such-program", "argument")
    relative = await ask.created("true", cwd="relative")
    malformed = await ask.created("true", env=[{"name": "GIT_CONFIG_COUNT", "value": "two"}])

    assert missing["code"] == relative["code"] == malformed["code"] == -32602


def _entry(index: int, key: str, value: str) -> dict[str, str]:
    return {f"GIT_CONFIG_KEY_{index}": key, f"GIT_CONFIG_VALUE_{index}": value}
