"""Both ends prove that they know the key, and neither's word is of use to anybody else."""

import pytest

from adapters.agentctl.proof import KEY_BYTES, NONCE_BYTES, Proofs, proves, session, text_of
from adapters.agentctl.wire import PROTOCOL, Hello, Welcome
from tests.fakes.ids import CountingIds
from tests.requirements import requirement

KEY = bytes(range(KEY_BYTES))
OTHER = bytes(KEY_BYTES)
NONCE = text_of(b"n" * NONCE_BYTES)


def _server(key: bytes | None = KEY, seed: str = "server") -> Proofs:
    return Proofs(key, CountingIds(seed).random)


def _welcome(server: Proofs, nonce: str = NONCE) -> Welcome:
    welcome = server.welcome(Hello(PROTOCOL, nonce))
    assert welcome is not None
    return welcome


@requirement("broker:proof")
def test_a_session_from_a_handshake_is_admitted() -> None:
    server = _server()
    welcome = _welcome(server)

    assert proves(KEY, NONCE, welcome)
    assert server.admits(session(KEY, NONCE, welcome.nonce))


@requirement("broker:proof")
def test_another_key_proves_nothing_and_opens_nothing() -> None:
    server = _server()
    welcome = _welcome(_server(OTHER))

    assert not proves(KEY, NONCE, welcome)
    assert not server.admits(session(OTHER, NONCE, _welcome(server).nonce))


@requirement("broker:proof")
def test_the_servers_proof_is_no_session() -> None:
    server = _server()
    welcome = _welcome(server)

    assert not server.admits(welcome.proof)
    assert not server.admits(f"{NONCE}.{welcome.proof}")


def test_a_session_ends_with_the_process_it_was_made_for() -> None:
    earlier, later = _server(seed="earlier"), _server(seed="later")

    assert not later.admits(session(KEY, NONCE, _welcome(earlier).nonce))


def test_no_number_of_handshakes_ends_a_session() -> None:
    server = _server()
    shown = session(KEY, NONCE, _welcome(server).nonce)

    for number in range(200):
        _welcome(server, text_of(number.to_bytes(NONCE_BYTES, "big")))

    assert server.admits(shown)


def test_without_a_key_there_is_no_handshake_and_no_session() -> None:
    server = _server(None)

    assert server.welcome(Hello(PROTOCOL, NONCE)) is None
    assert not server.admits(session(KEY, NONCE, "anything"))


@pytest.mark.parametrize(
    "nonce", ["", "A", NONCE[:-1], NONCE + "A", NONCE[:-1] + "=", NONCE[:-1] + "é", "!" * 43]
)
def test_what_is_no_nonce_is_answered_by_nothing(nonce: str) -> None:
    server = _server()

    assert server.welcome(Hello(PROTOCOL, nonce)) is None
    assert not server.admits(session(KEY, nonce, _welcome(server).nonce))


@pytest.mark.parametrize("shown", ["", ".", NONCE, f"{NONCE}.", f"{NONCE}.é", "é" * 87, "a.b.c"])
def test_what_is_no_session_opens_nothing(shown: str) -> None:
    assert not _server().admits(shown)


def test_a_key_has_32_bytes() -> None:
    with pytest.raises(ValueError, match="32 bytes"):
        _server(KEY + b"k")
