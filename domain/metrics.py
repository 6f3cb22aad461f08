"""Measurements of an installation, in the text that Prometheus reads.

The format is version 0.0.4 of Prometheus' text exposition format: a name says its unit, a counter
ends in `_total`, and no label holds what a user wrote.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

__all__ = ("MEDIA_TYPE", "Kind", "Metric", "Sample", "exposition", "of_states")

MEDIA_TYPE: Final = "text/plain; version=0.0.4"
"""Of UTF-8, which an answer says beside it."""


class Kind(StrEnum):
    COUNTER = "counter"
    GAUGE = "gauge"


@dataclass(frozen=True, slots=True)
class Sample:
    value: float
    labels: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Metric:
    """`help` is one line for people."""

    name: str
    kind: Kind
    help: str
    samples: tuple[Sample, ...]


def of_states(name: str, told: str, states: type[StrEnum], counts: Mapping[str, int]) -> Metric:
    """A gauge with one sample for each state, also for one that nothing is in."""
    samples = [Sample(counts.get(each.value, 0), (("state", each.value),)) for each in states]
    return Metric(name, Kind.GAUGE, told, tuple(samples))


def exposition(metrics: Iterable[Metric]) -> str:
    return "".join(line for metric in metrics for line in _lines(metric))


def _lines(metric: Metric) -> Iterable[str]:
    help_text = metric.help.replace("\\", r"\\").replace("\n", r"\n")
    yield f"# HELP {metric.name} {help_text}\n"
    yield f"# TYPE {metric.name} {metric.kind.value}\n"
    for sample in metric.samples:
        labels = ",".join(f'{name}="{_quoted(value)}"' for name, value in sample.labels)
        yield f"{metric.name}{f'{{{labels}}}' if labels else ''} {_number(sample.value)}\n"


def _quoted(value: str) -> str:
    return value.replace("\\", r"\\").replace("\n", r"\n").replace('"', r"\"")


def _number(value: float) -> str:
    return str(int(value)) if value == int(value) else repr(value)
