"""The secrets of an environment's layers, known to the redactor before anything has them."""

from collections.abc import Iterable

from adapters.agentctl import wire
from domain.secret import Secret
from ports.redactor import Redactor

__all__ = ("register_secrets",)


def register_secrets(redactor: Redactor, layers: Iterable[wire.Layer]) -> None:
    for layer in layers:
        for name in layer.variables.keys() & set(layer.secrets):
            redactor.register(Secret(layer.variables[name]))
