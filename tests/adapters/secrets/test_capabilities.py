"""Capabilities, sealed and opened."""

from base64 import urlsafe_b64encode
from datetime import UTC, datetime

import pytest

from adapters.secrets.capabilities import AesCapabilities
from adapters.secrets.keyring import KEY_BYTES, Keyring
from adapters.secrets.vault import AesVault
from domain.capability import Claims
from domain.identity import ExecutionId, RepositoryId, SessionId, TaskId, WorkspaceId
from domain.lease import LeaseRefusal, Refusal, Scope
from domain.outcome import Failure, Success
from domain.repository import RepositoryIdentity
from domain.secret import Secret
from ports.capabilities import Capabilities
from ports.vault import SecretPlace
from tests.fakes.ids import CountingIds
from tests.requirements import requirement

CLAIMS = Claims(
    Scope(
        WorkspaceId("ws_1"),
        TaskId("task_1"),
        SessionId("ses_1"),
        ExecutionId("exec_1"),
        RepositoryId("repo_1"),
        RepositoryIdentity("forge.example", "/acme/shop"),
    ),
    datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC),
)
INVALID = Failure(LeaseRefusal(Refusal.INVALID))


def keyring(name: str) -> Keyring:
    return Keyring([CountingIds(name).random(KEY_BYTES)])


def capabilities(name: str = "ours") -> Capabilities:
    return AesCapabilities(keyring(name), CountingIds())


@requirement("secrets:capability:sealed")
def test_a_capability_opens_to_what_was_sealed() -> None:
    sealed = capabilities().seal(CLAIMS)

    assert sealed.reveal().startswith("kdc_")
    assert capabilities().open(sealed) == Success(CLAIMS)


@requirement("secrets:capability:sealed")
def test_a_capability_of_another_installation_is_invalid() -> None:
    assert capabilities("ours").open(capabilities("theirs").seal(CLAIMS)) == INVALID


@requirement("secrets:capability:sealed")
def test_a_capability_with_a_changed_character_is_invalid() -> None:
    text = capabilities().seal(CLAIMS).reveal()

    for position in range(4, len(text) - 1):
        other = "A" if text[position] != "A" else "B"
        altered = Secret(text[:position] + other + text[position + 1 :])
        assert capabilities().open(altered) == INVALID, position


@requirement("secrets:capability:sealed")
def test_a_sealed_secret_is_no_capability() -> None:
    sealed = AesVault(keyring("ours"), CountingIds()).seal(
        SecretPlace("con_1", "ws_1", "connection"), Secret("ghp_correct-horse-battery-staple")
    )

    for body in (sealed, sealed[1:]):
        text = "kdc_" + urlsafe_b64encode(body).rstrip(b"=").decode()
        assert capabilities().open(Secret(text)) == INVALID


@pytest.mark.parametrize("text", ["", "kdc_", "kdl_abc", "kdc_!", "kdc_AAAA"])
def test_what_has_not_the_shape_of_a_capability_is_invalid(text: str) -> None:
    assert capabilities().open(Secret(text)) == INVALID
