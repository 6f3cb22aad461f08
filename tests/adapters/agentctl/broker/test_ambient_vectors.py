"""Whatever is configured beneath managed access: who answers git with the managed entries in place.

The vectors are what git itself was measured with: chains of helpers and their order, askpass in all
its forms, helpers that fail, and the ways to write a helper down.
"""

import json
import os
from pathlib import Path
from typing import Any, Final

import pytest

from adapters.agentctl import wire
from adapters.agentctl.server import agent_environment
from adapters.agentctl.wire import CredentialAnswer, Lease
from domain.credential_policy import Mode, Source, removes
from domain.environment import Layer, LayerName
from tests.adapters.agentctl.broker.conftest import Desk, Ended, Managed, run
from tests.git_oracle import isolated
from tests.requirements import requirement

pytestmark = pytest.mark.anyio

VECTORS: Final[list[dict[str, Any]]] = json.loads(
    (Path(__file__).parents[3] / "vectors" / "credential_ambient.json").read_bytes()
)
HOST: Final = "h.example"
LEASES: Final = (
    Lease("r1", HOST, "/org/repo", "kdl_one", "kdc_one"),
    Lease("r2", HOST, "/x", "kdl_two", "kdc_two"),
)
HELPER: Final = """#!/bin/sh
name=$1 reply=$2 code=0
for op; do :; done
[ $# -gt 3 ] && code=$3
echo "$name $op" >> {ROOT}/log
[ "$op" = get ] && printf %b "$reply"
exit $code
"""
ASKPASS: Final = "#!/bin/sh\necho asked >> {ROOT}/log\necho ambient\n"
PROGRAMS: Final = {"bin/git-credential-h": HELPER, "bin/ask": ASKPASS, "bin/ask2": ASKPASS}


class Ground:
    """A vector's files and environment, with an instance's managed access on top."""

    def __init__(self, root: Path, vector: dict[str, Any], managed: Managed) -> None:
        self._root, self._vector, self._managed = root, vector, managed
        for folder in ("home", "work"):
            (root / folder).mkdir(parents=True)
        for name, text in {**PROGRAMS, **vector.get("files", {})}.items():
            file = root / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(self._placed(text), encoding="utf-8")
            if name != "plain":
                file.chmod(0o755)

    @property
    def asked(self) -> str:
        """What ambient helpers and askpass programs wrote down of being asked."""
        log = self._root / "log"
        return log.read_text(encoding="utf-8") if log.exists() else ""

    async def prepare(self) -> None:
        plain = isolated(self._root / "home")
        for command in self._vector.get("setup", []):
            script = f"git init -q . && {self._placed(command)}"
            assert (await run(["sh", "-c", script], plain, "", self._root / "work")).status == 0

    async def git(self) -> Ended:
        words = ["git", *self._vector.get("git", ["credential", "fill"])]
        return await run(words, self._environment(), self._vector["stdin"], self._root / "work")

    def _environment(self) -> dict[str, str]:
        """As agentctl composes it."""
        plain = isolated(self._root / "home")
        host = {**plain, "PATH": f"{self._root}/bin:{os.environ['PATH']}"}
        for name, value in self._vector["environment"].items():
            host.pop(name, None)
            if value is not None:
                host[name] = self._placed(value)
        taken = removes(Mode.MANAGED, Source.WORKSPACE, [Layer(LayerName.HOST, host)])
        asked = wire.Create(
            execution="e1",
            task="t1",
            session="s1",
            agent="minimal",
            command=["/bin/true"],
            hard_stop=False,
            executor="worktree",
            workspace=str(self._root / "work"),
            checkouts=[],
            layers=[],
            managed=wire.Managed([wire.Host(HOST)], list(LEASES)),
            removes=sorted(taken),
            acp_session=None,
            approve_automatically=False,
        )
        composed = agent_environment.compose(asked, host, self._managed.socket.opened, {})
        return dict(composed.unwrap().variables)

    def _placed(self, text: str) -> str:
        return text.replace("{ROOT}", str(self._root))


@requirement("broker:socket:quit")
@pytest.mark.parametrize("vector", VECTORS, ids=lambda vector: vector["id"])
async def test_with_the_managed_entries_in_place_nobody_else_is_asked_for_a_managed_host(
    desk: Desk, tmp_path: Path, vector: dict[str, Any]
) -> None:
    managed = await desk.instance(*LEASES)
    ground = Ground(tmp_path / "root", vector, managed)
    await ground.prepare()
    for path in ("/org/repo", "/x"):
        desk.desk.given[HOST + path] = CredentialAnswer("robot", "s3cret", None)
    served = await ground.git()
    desk.desk.given.clear()
    refused = await ground.git()

    match vector["verdict"]:
        case "managed":
            assert (served.status, refused.status) == (0, 128)
            assert {"username=robot", "password=s3cret"} <= set(served.stdout.splitlines())
            assert (refused.stdout, ground.asked) == ("", "")
        case "stopped":
            assert (served.status, refused.status) == (128, 128)
            assert (desk.desk.asked, ground.asked) == ([], "")
        case "stored":
            assert (served.status, refused.status) == (0, 0)
            assert (desk.desk.asked, ground.asked) == ([], "")
        case _:
            assert desk.desk.asked == []
            assert ground.asked != ""
            assert "s3cret" not in served.stdout + refused.stdout
    assert "s3cret" not in served.stderr + refused.stderr
