"""The broker contract: whole, valid, or not there."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.broker_contract import (
    MAX_SCOPES,
    MAX_SCOPES_LENGTH,
    MAX_SOCKET_BYTES,
    NAMES,
    SCOPES,
    SOCKET,
    TOOLS,
    BrokenContract,
    BrokerContract,
    Fault,
    GitScope,
    read,
    write,
    write_scopes,
)
from domain.identity import RepositoryId
from domain.outcome import Failure, Success
from domain.repository import RepositoryIdentity
from tests.requirements import requirement

WIDGETS = GitScope(RepositoryId("r1"), "github.com", "/acme/widgets")
CONTRACT = BrokerContract("/run/kandev/a b/git.sock", "/run/kandev/tools dir", (WIDGETS,))
WHOLE = write(CONTRACT)


@requirement("credentials:contract:whole")
def test_a_whole_contract_is_read_beside_anything_else() -> None:
    assert read({"PATH": "/usr/bin"} | WHOLE) == Success(CONTRACT)
    assert read({"PATH": "/usr/bin", "KANDEV_TASK_ID": "t"}) == Success(None)


@requirement("credentials:contract:whole")
@pytest.mark.parametrize("missing", [{SOCKET}, {TOOLS}, {SCOPES}, {SOCKET, TOOLS}, {TOOLS, SCOPES}])
def test_half_a_contract_is_none(missing: set[str]) -> None:
    half = {name: value for name, value in WHOLE.items() if name not in missing}

    assert read(half) == Failure(BrokenContract(Fault.INCOMPLETE))


@requirement("credentials:contract:whole")
@pytest.mark.parametrize(
    ("name", "value", "fault"),
    [
        (SOCKET, "", Fault.SOCKET),
        (SOCKET, "git.sock", Fault.SOCKET),
        (SOCKET, "/" + "s" * MAX_SOCKET_BYTES, Fault.SOCKET),
        (SOCKET, "/" + "é" * (MAX_SOCKET_BYTES // 2) + "s", Fault.SOCKET),
        (TOOLS, "", Fault.TOOLS),
        (TOOLS, "tools", Fault.TOOLS),
        (TOOLS, "/tools:/bin", Fault.TOOLS),
        (SCOPES, "", Fault.SCOPES),
        (SCOPES, "{", Fault.SCOPES),
        (SCOPES, "[]", Fault.SCOPES),
        (SCOPES, "{}", Fault.SCOPES),
        (SCOPES, "null", Fault.SCOPES),
        (SCOPES, "[1]", Fault.SCOPES),
        (SCOPES, "[" * 100_000, Fault.SCOPES),
    ],
)
def test_a_name_with_a_value_that_cannot_be_one_breaks_the_contract(
    name: str, value: str, fault: Fault
) -> None:
    assert read(WHOLE | {name: value}) == Failure(BrokenContract(fault))


@requirement("credentials:contract:scopes")
@pytest.mark.parametrize(
    "row",
    [
        {"repository_id": "", "host": "github.com", "path": "/acme/widgets"},
        {"repository_id": 1, "host": "github.com", "path": "/acme/widgets"},
        {"host": "github.com", "path": "/acme/widgets"},
        {"repository_id": "r", "host": "GitHub.com", "path": "/acme/widgets"},
        {"repository_id": "r", "host": "github.com:443", "path": "/acme/widgets"},
        {"repository_id": "r", "host": "github.com", "path": "/acme/widgets.git"},
        {"repository_id": "r", "host": "github.com", "path": "acme/widgets"},
        {"repository_id": "r", "host": "github.com", "path": "/acme/../widgets"},
        {"repository_id": "r", "host": "evil@github.com", "path": "/acme/widgets"},
    ],
)
def test_one_scope_that_is_not_in_its_one_spelling_breaks_the_contract(
    row: dict[str, object],
) -> None:
    good = json.loads(WHOLE[SCOPES])

    assert read(WHOLE | {SCOPES: json.dumps([*good, row])}) == Failure(BrokenContract(Fault.SCOPES))


@requirement("credentials:contract:scopes")
def test_scopes_are_bounded_and_travel_as_named_fields() -> None:
    many = tuple(
        GitScope(RepositoryId(f"r{number}"), "github.com", f"/acme/r{number}")
        for number in range(MAX_SCOPES + 1)
    )

    assert write_scopes([WIDGETS]) == (
        '[{"repository_id":"r1","host":"github.com","path":"/acme/widgets"}]'
    )
    assert read(WHOLE | {SCOPES: write_scopes(many[:-1])}).unwrap() is not None
    assert read(WHOLE | {SCOPES: write_scopes(many)}) == Failure(BrokenContract(Fault.SCOPES))


def test_the_text_of_scopes_may_be_as_long_as_the_bound_and_no_longer() -> None:
    longest = WHOLE[SCOPES].ljust(MAX_SCOPES_LENGTH)

    assert read(WHOLE | {SCOPES: longest}) == Success(CONTRACT)
    assert read(WHOLE | {SCOPES: longest + " "}) == Failure(BrokenContract(Fault.SCOPES))


def test_a_socket_path_may_be_as_long_as_the_system_allows() -> None:
    longest = "/" + "s" * (MAX_SOCKET_BYTES - 1)
    contract = read(WHOLE | {SOCKET: longest}).unwrap()

    assert contract is not None
    assert contract.socket == longest


def test_unknown_fields_of_a_scope_are_passed_over() -> None:
    rows = [row | {"more": 1} for row in json.loads(WHOLE[SCOPES])]

    assert read(WHOLE | {SCOPES: json.dumps(rows)}) == Success(CONTRACT)


def test_a_scope_names_an_identity() -> None:
    assert WIDGETS.identity == RepositoryIdentity("github.com", "/acme/widgets")


SEGMENT = st.text(
    st.characters(codec="utf-8", exclude_categories=["Cc"], exclude_characters="/\\."), min_size=1
)


@requirement("credentials:contract:scopes")
@given(st.lists(st.tuples(st.text(min_size=1), SEGMENT, SEGMENT), min_size=1, max_size=5))
def test_any_contract_survives_its_environment(rows: list[tuple[str, str, str]]) -> None:
    scopes = tuple(
        GitScope(RepositoryId(name), "forge.example:8443", f"/{owner}/{path}")
        for name, owner, path in rows
    )
    contract = BrokerContract("/s", "/t", scopes)

    assert read(write(contract)) == Success(contract)
    assert write(contract).keys() == NAMES
    assert write(contract)[SCOPES].isascii()
