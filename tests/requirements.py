"""What the system promises, each behaviour once; tests wear the id with `@requirement("...")`.

An id reads `area:feature[:variant]`. The source is a page of `docs/specification/`, an RFC, or a
page of git's documentation. `tests/test_requirements.py` holds both directions: nothing promised
untested, nothing tagged unknown.

The promises of an area live in `tests/promises/<area>.py`, one file an area, collected here.
"""

import importlib
import pkgutil
from collections.abc import Mapping
from typing import NamedTuple

import pytest

from tests import promises

__all__ = ("REQUIREMENTS", "Requirement", "requirement")


class Requirement(NamedTuple):
    source: str
    sentence: str


def _collect() -> Mapping[str, Requirement]:
    found: dict[str, Requirement] = {}
    for module in pkgutil.iter_modules(promises.__path__):
        area = importlib.import_module(f"tests.promises.{module.name}")
        for name, (source, sentence) in area.PROMISES.items():
            assert name not in found, f"{name} is promised twice"
            found[name] = Requirement(source, sentence)
    return found


REQUIREMENTS = _collect()


def requirement(name: str) -> pytest.MarkDecorator:
    """Say which promise a test shows."""
    assert name in REQUIREMENTS, f"{name} is not in tests/promises"
    return pytest.mark.requirement(name)
