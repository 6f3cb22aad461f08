"""Figures for people, as a table, and for programs, as JSON."""

import json
from collections.abc import Sequence
from dataclasses import asdict

from bench.harness import Figures

__all__ = ("as_json", "as_table")

HEADINGS = ("benchmark", "value", "reference", "ratio", "goal", "")
SCALES = ((1.0, "s"), (1e-3, "ms"), (1e-6, "us"), (1e-9, "ns"))


def as_json(figures: Sequence[Figures]) -> str:
    """An array of `{name, ratio, goal, value, reference, unit}`."""
    return json.dumps([asdict(each) for each in figures], indent=2)


def as_table(figures: Sequence[Figures]) -> str:
    rows = [HEADINGS, *(_row(each) for each in figures)]
    widths = [max(len(row[column]) for row in rows) for column in range(len(HEADINGS))]
    return "\n".join(
        f"{row[0]:<{widths[0]}}  "
        + "  ".join(f"{cell:>{width}}" for cell, width in zip(row[1:], widths[1:], strict=True))
        for row in rows
    )


def _row(figures: Figures) -> tuple[str, ...]:
    return (
        figures.name,
        _quantity(figures.value, figures.unit),
        _quantity(figures.reference, figures.unit),
        f"{figures.ratio:.3g}",
        f"{figures.goal:.3g}",
        "reached" if figures.reached else "missed",
    )


def _quantity(number: float, unit: str) -> str:
    if unit == "s":
        scale, unit = next((each for each in SCALES if abs(number) >= each[0]), SCALES[-1])
        number /= scale
    return f"{number:.4g} {unit}"
