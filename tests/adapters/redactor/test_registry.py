"""The list of values that no sink shows."""

import threading

import pytest

from adapters.redactor import registry as registries
from adapters.redactor.registry import Registry, RegistryFull
from domain import redaction
from domain.redaction import MASK, Redactor
from domain.secret import Secret
from ports.redactor import Redactor as RedactorPort

TOKEN = Secret("correct-horse-battery")


@pytest.fixture
def registry() -> Registry:
    return Registry(Redactor())


def test_a_registered_value_is_seen_no_more(registry: Registry) -> None:
    port: RedactorPort = registry
    assert port.redact("it is correct-horse-battery!") == "it is correct-horse-battery!"

    port.register(TOKEN)
    port.register(TOKEN)

    assert port.redact("it is correct-horse-battery!") == f"it is {MASK}!"


def test_a_value_too_short_to_be_looked_for_is_passed_over(registry: Registry) -> None:
    registry.register(Secret("abc"))

    assert registry.redact("abc abc") == "abc abc"


def own(number: int) -> Secret:
    """A value with a prefix of ours, in a shape that nothing else would catch."""
    return Secret(f"kdl_~a~value~{number}~")


def test_the_oldest_value_of_our_own_makes_room(
    registry: Registry, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(redaction, "MAX_VALUES", 3)
    registry.register(own(1))
    registry.register(TOKEN)
    registry.register(own(2))
    registry.register(own(1))

    registry.register(own(3))

    assert registry.redact(own(1).reveal()) == MASK
    assert registry.redact(own(2).reveal()) == own(2).reveal()
    assert registry.redact(own(3).reveal()) == MASK
    assert registry.redact(TOKEN.reveal()) == MASK


def test_a_secret_of_a_connection_never_makes_room(
    registry: Registry, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(redaction, "MAX_VALUES", 2)
    registry.register(TOKEN)
    registry.register(Secret("another-long-secret"))

    with pytest.raises(RegistryFull):
        registry.register(Secret("one-secret-too-many"))
    with pytest.raises(RegistryFull):
        registry.register(own(1))

    assert registry.redact(TOKEN.reveal()) == MASK
    assert registries.OWN_PREFIXES == ("kdl_", "kdc_", "kdt_")


def test_threads_register_while_others_redact(registry: Registry) -> None:
    wrong: list[str] = []
    begin = threading.Barrier(4)

    def register(first: int) -> None:
        begin.wait(timeout=5)
        for number in range(first, first + 100):
            registry.register(own(number))
            if MASK not in registry.redact(own(number).reveal()):
                wrong.append(own(number).reveal())

    threads = [threading.Thread(target=register, args=(1_000 * each,)) for each in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=30)

    assert wrong == []
