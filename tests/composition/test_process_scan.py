"""The scan of processes finds what is there, and names no value."""

import os
import subprocess
import sys

from composition.demo import process_scan
from composition.demo.story import planted

IDLE = [sys.executable, "-I", "-S", "-c", "print(flush=True); input()"]


def test_a_value_in_an_environment_and_in_arguments_is_found() -> None:
    value = "needle-in-proc-5d1f"
    with (
        planted([*IDLE, value]) as shown,
        planted(IDLE, {"X": value}) as held,
    ):
        scan = process_scan.scan(process_scan.descendants(), value)
        marked = process_scan.with_mark(f"X={value}")
        for each in (shown, held):
            each.kill()

    assert {(each.pid, each.where) for each in scan.found} == {
        (shown.pid, "arguments"),
        (held.pid, "environment"),
    }
    assert value not in repr(scan)
    assert marked == [held.pid]


def test_descendants_are_found_through_their_parents() -> None:
    nested = "import subprocess, sys; subprocess.run([sys.executable, '-I', '-S', '-c', 'input()'])"
    with subprocess.Popen([sys.executable, "-I", "-c", nested], stdin=subprocess.PIPE) as outer:
        found: list[int] = []
        while len(found) < 2:
            found = process_scan.descendants(outer.pid)
        outer.communicate(b"\n", timeout=20)

    assert found[0] == outer.pid
    assert os.getpid() not in found


def test_a_process_that_has_ended_is_passed_over() -> None:
    with subprocess.Popen([sys.executable, "-I", "-S", "-c", ""]) as ended:
        ended.wait()

    assert process_scan.scan([ended.pid], "x") == process_scan.Scan((), ())
