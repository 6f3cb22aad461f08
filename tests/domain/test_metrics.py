"""Metrics as text, by the exposition format of Prometheus (version 0.0.4)."""

import pytest

from domain.metrics import Kind, Metric, Sample, exposition, of_states
from domain.task import TaskState


def test_a_metric_is_its_help_its_type_and_a_line_for_each_sample() -> None:
    samples = (Sample(3, (("method", "GET"), ("status", "200"))), Sample(0.25))

    assert exposition([Metric("a_total", Kind.COUNTER, "Told.", samples)]) == (
        "# HELP a_total Told.\n"
        "# TYPE a_total counter\n"
        'a_total{method="GET",status="200"} 3\n'
        "a_total 0.25\n"
    )


@pytest.mark.parametrize(
    ("value", "quoted"),
    [("plain", "plain"), ('a"b', r"a\"b"), ("a\\b", r"a\\b"), ("a\nb", r"a\nb")],
)
def test_what_would_end_a_label_is_escaped(value: str, quoted: str) -> None:
    text = exposition([Metric("m", Kind.GAUGE, value, (Sample(1, (("l", value),)),))])

    assert text.splitlines()[2] == f'm{{l="{quoted}"}} 1'
    assert len(text.splitlines()) == 3


def test_a_state_that_nothing_is_in_counts_none() -> None:
    metric = of_states("kandev_tasks", "Tasks.", TaskState, {"open": 2})

    assert metric.samples == (
        Sample(2, (("state", "open"),)),
        Sample(0, (("state", "review"),)),
        Sample(0, (("state", "done"),)),
        Sample(0, (("state", "archived"),)),
    )
