"""Secrets at rest."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adapters.secrets.keyring import KEY_BYTES, Keyring
from adapters.secrets.vault import AesVault
from domain.outcome import Failure, failed
from domain.secret import Secret
from ports.vault import SecretPlace, Unsealable, Vault
from tests.fakes.ids import CountingIds
from tests.requirements import requirement

PLACE = SecretPlace("con_1", "ws_1", "connection")
VALUE = Secret("ghp_correct-horse-battery-staple")


def vault(name: str = "ours") -> Vault:
    return AesVault(Keyring([CountingIds(name).random(KEY_BYTES)]), CountingIds())


@requirement("secrets:seal:place")
@given(st.text(), st.text(), st.text(), st.text(st.characters(codec=None)))
def test_what_is_sealed_opens_where_it_was_sealed_for(
    id_: str, owner: str, scope: str, value: str
) -> None:
    place = SecretPlace(id_, owner, scope)

    opened = vault().open(place, vault().seal(place, Secret(value)))

    assert opened.unwrap().reveal() == value


@requirement("secrets:seal:place")
@pytest.mark.parametrize(
    "elsewhere",
    [
        replace(PLACE, id="con_2"),
        replace(PLACE, owner="ws_2"),
        replace(PLACE, scope="agentctl"),
        SecretPlace("con_1ws_1", "", "connection"),
        SecretPlace('con_1", "ws_1', "connection", ""),
    ],
)
def test_what_is_sealed_opens_nowhere_else(elsewhere: SecretPlace) -> None:
    sealed = vault().seal(PLACE, VALUE)

    assert vault().open(elsewhere, sealed) == Failure(Unsealable(elsewhere))


@requirement("secrets:seal:altered")
def test_one_changed_bit_anywhere_keeps_it_shut() -> None:
    sealed = vault().seal(PLACE, VALUE)

    for position in range(8 * len(sealed)):
        altered = bytearray(sealed)
        altered[position // 8] ^= 1 << position % 8
        assert failed(vault().open(PLACE, bytes(altered))), position


@requirement("secrets:seal:altered")
def test_what_is_cut_stays_shut() -> None:
    sealed = vault().seal(PLACE, VALUE)

    assert all(failed(vault().open(PLACE, sealed[:length])) for length in range(len(sealed)))
    assert failed(vault().open(PLACE, sealed + b"\0"))


@requirement("secrets:seal:altered")
def test_another_installations_key_opens_nothing() -> None:
    assert failed(vault("theirs").open(PLACE, vault("ours").seal(PLACE, VALUE)))


@requirement("secrets:seal:fresh")
def test_sealing_twice_gives_two_texts_and_neither_shows_the_value() -> None:
    one = vault()

    sealed = [one.seal(PLACE, VALUE), one.seal(PLACE, VALUE)]

    assert sealed[0] != sealed[1]
    assert all(VALUE.reveal().encode() not in each for each in sealed)
