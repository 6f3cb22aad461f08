"""Connecting: nothing is replaced before the new token was seen to work."""

from collections.abc import AsyncGenerator
from dataclasses import replace
from pathlib import Path

import pytest

from domain.access import NotFound
from domain.connection import Fault, InvalidConnection, Kind, Status
from domain.git_failure import GitCode, GitFailure
from domain.identity import ConnectionId, ExecutionId, SessionId, TaskId, WorkspaceId
from domain.lease import LeaseRefusal, Refusal
from domain.ledger import LedgerQuery, Operation
from domain.outcome import Failure, failed
from domain.principal import Execution
from domain.repository import InvalidRemote, RepositoryIdentity
from domain.secret import Secret
from pipelines.connect_workspace import ConnectRequest, ProbeElsewhere, TokenRefused
from ports.credentials import CredentialRequest
from tests.pipelines.plane import HOST, OWNER, SECRET, Plane, plane_over, url_of
from tests.requirements import requirement

pytestmark = pytest.mark.anyio

AGENT = Execution(ExecutionId("exec"), TaskId("task"), SessionId("ses"))
PEM = "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n"


@pytest.fixture
async def plane(tmp_path: Path) -> AsyncGenerator[Plane]:
    async with plane_over(tmp_path) as made:
        yield made


def request_for(workspace: WorkspaceId) -> ConnectRequest:
    return ConnectRequest(workspace, HOST, None, "robot", Secret(SECRET), None, url_of("app"))


async def test_a_token_that_works_makes_a_connection(plane: Plane) -> None:
    workspace = await plane.workspace()
    plane.git.remotes[url_of("app")] = "main"

    made = await plane.api.connect(
        OWNER, replace(request_for(workspace), host="FORGE.Example", certificate_authority=PEM)
    )

    connection = made.unwrap()
    [asked] = plane.git.asked
    assert (connection.host, connection.kind, connection.login) == (HOST, Kind.GIT, "robot")
    assert (connection.status, connection.revision) == (Status.ACTIVE, 1)
    assert await plane.connection(connection.id) == connection
    assert (asked.url, asked.username, asked.password) == (url_of("app"), "robot", Secret(SECRET))
    assert asked.certificate_authority == PEM


@requirement("workspace:connect:sealed")
async def test_a_secret_is_sealed_for_its_connection_and_known_to_the_redactor(
    plane: Plane, tmp_path: Path
) -> None:
    workspace = await plane.workspace()
    connection = (await plane.connected(workspace)).unwrap()

    async with plane.store.read() as state:
        sealed = await state.connection_secret(connection.id)
        opened = await plane.container.secrets()(state, connection)
    assert sealed is not None
    assert opened.unwrap() == Secret(SECRET)
    assert SECRET in plane.redactor.registered
    stored = b"".join(each.read_bytes() for each in tmp_path.glob("kandev.db*"))
    assert SECRET.encode() not in stored


@requirement("workspace:connect:validated")
@pytest.mark.parametrize(
    ("secret", "refuses", "code"),
    [
        ("wrong-token-0123456789", None, GitCode.AUTHENTICATION),
        (SECRET, GitFailure(GitCode.UNREACHABLE, "Connection refused"), GitCode.UNREACHABLE),
        (SECRET, GitFailure(GitCode.CERTIFICATE, "self-signed"), GitCode.CERTIFICATE),
    ],
)
async def test_a_token_that_fails_leaves_the_old_connection_and_its_leases(
    plane: Plane, secret: str, refuses: GitFailure | None, code: GitCode
) -> None:
    session = await plane.running()
    async with plane.store.read() as state:
        [workspace] = await state.workspaces(None, 1)
        [old] = await state.connections(workspace.id)
        sealed = await state.connection_secret(old.id)
    plane.git.refuses = refuses

    outcome = await plane.connected(workspace.id, secret)

    assert failed(outcome)
    problem = outcome.failure()
    assert isinstance(problem, TokenRefused)
    assert (problem.host, problem.failure.code) == (HOST, code)
    async with plane.store.read() as state:
        assert await state.connections(workspace.id) == [old]
        assert await state.connection_secret(old.id) == sealed
    assert all(each.revoked_at is None for each in await plane.leases(session.execution))


@requirement("workspace:connect:leases")
@pytest.mark.parametrize(
    ("how", "why"), [("replace", "connection_replaced"), ("remove", "connection_removed")]
)
async def test_a_connection_that_goes_takes_its_leases_along(
    plane: Plane, how: str, why: str
) -> None:
    session = await plane.running()
    async with plane.store.read() as state:
        [workspace] = await state.workspaces(None, 1)
        [old] = await state.connections(workspace.id)

    if how == "replace":
        (await plane.connected(workspace.id)).unwrap()
    else:
        (await plane.api.disconnect(OWNER, workspace.id, old.id)).unwrap()

    async with plane.store.read() as state:
        ledger = await state.ledger(LedgerQuery(operation=Operation.REVOKE))
        left = await state.connection_secret(old.id)
    assert [each.detail for each in ledger] == [why]
    assert all(each.revoked_at for each in await plane.leases(session.execution))
    assert (left is None) is (how == "remove")
    [spec] = plane.runtime.launches
    assert spec.managed is not None
    asked = CredentialRequest(
        spec.handle.execution,
        RepositoryIdentity(HOST, "/acme/app"),
        spec.managed.leases[0].token,
        None,
        "get",
    )
    assert await plane.container.redeem()(asked) == Failure(LeaseRefusal(Refusal.REVOKED))


@requirement("workspace:connect:revision")
async def test_a_revision_is_never_given_twice(plane: Plane) -> None:
    workspace, other = await plane.workspace(), await plane.workspace()
    revisions = []
    for _ in range(2):
        made = (await plane.connected(workspace)).unwrap()
        revisions.append(made.revision)
        again = (await plane.connected(workspace)).unwrap()
        revisions.append(again.revision)
        assert again.id == made.id
        (await plane.api.disconnect(OWNER, workspace, again.id)).unwrap()

    assert revisions == [1, 2, 3, 4]
    assert (await plane.connected(other)).unwrap().revision == 1


async def test_each_host_has_one_connection(plane: Plane) -> None:
    workspace = await plane.workspace()
    first = (await plane.connected(workspace)).unwrap()
    second = (await plane.connected(workspace, host="git.example:8443")).unwrap()

    async with plane.store.read() as state:
        known = await state.connections(workspace)
    assert {each.id for each in known} == {first.id, second.id}
    assert second.host == "git.example:8443"


@pytest.mark.parametrize(
    ("changed", "problem"),
    [
        ({"host": "forge.example/acme"}, InvalidConnection(Fault.HOST)),
        ({"login": "two words"}, InvalidConnection(Fault.LOGIN)),
        ({"token": Secret("two\nlines")}, InvalidConnection(Fault.SECRET)),
        ({"token": Secret("")}, InvalidConnection(Fault.SECRET)),
        ({"certificate_authority": "no certificate"}, InvalidConnection(Fault.AUTHORITY)),
        ({"kind": Kind.GH_CLI}, InvalidConnection(Fault.METHOD)),
        ({"probe": url_of("app", "other.example")}, ProbeElsewhere(HOST)),
        ({"probe": f"ssh://git@{HOST}/acme/app.git"}, ProbeElsewhere(HOST)),
        ({"workspace": WorkspaceId("ws_none")}, NotFound("workspace")),
    ],
)
async def test_what_cannot_be_a_connection_is_refused_before_the_forge_is_asked(
    plane: Plane, changed: dict[str, object], problem: object
) -> None:
    asked = request_for(await plane.workspace())

    outcome = await plane.api.connect(OWNER, replace(asked, **changed))  # type: ignore[arg-type]  # fields by name

    assert outcome == Failure(problem)
    assert plane.git.asked == []


async def test_a_probe_that_is_no_remote_is_refused(plane: Plane) -> None:
    asked = replace(request_for(await plane.workspace()), probe="not a url")

    outcome = await plane.api.connect(OWNER, asked)

    assert failed(outcome)
    assert isinstance(outcome.failure(), InvalidRemote)


async def test_a_workspace_that_is_deleted_while_the_forge_is_asked_gets_no_connection(
    plane: Plane,
) -> None:
    workspace = await plane.workspace()

    async def delete() -> None:
        (await plane.api.delete_workspace(OWNER, workspace)).unwrap()

    plane.git.during_probe = delete
    assert await plane.connected(workspace) == Failure(NotFound("workspace"))


@requirement("session:person")
async def test_an_agent_neither_connects_nor_disconnects(plane: Plane) -> None:
    workspace = await plane.workspace()
    connection = (await plane.connected(workspace)).unwrap()

    connected = await plane.api.connect(AGENT, request_for(workspace))
    removed = await plane.api.disconnect(AGENT, workspace, connection.id)

    assert connected == Failure(NotFound("workspace"))
    assert removed == Failure(NotFound("workspace"))
    assert await plane.connection(connection.id) == connection


async def test_a_connection_is_only_removed_from_its_own_workspace(plane: Plane) -> None:
    connection = (await plane.connected(await plane.workspace())).unwrap()
    other = await plane.workspace()

    for workspace, asked in ((other, connection.id), (connection.workspace, ConnectionId("con"))):
        outcome = await plane.api.disconnect(OWNER, workspace, asked)
        assert outcome == Failure(NotFound("connection"))
    assert await plane.connection(connection.id) == connection
