"""What a killed owner left running is found and ended; nothing else is."""

import os
import signal
import subprocess
import uuid

import pytest

from adapters.process.leftovers import LocalLeftovers
from adapters.process.spawn import EXECUTION_MARKER
from adapters.process.table import Identity, read
from tests.requirements import requirement

pytestmark = pytest.mark.anyio


def _orphan(mark: str, script: str = "exec sleep 60") -> Identity:
    """A process of another session whose parent has ended."""
    parent = subprocess.run(
        ["/bin/sh", "-c", f"setsid /bin/sh -c '{script}' >/dev/null 2>&1 & echo $!"],
        env={"PATH": "/usr/bin:/bin", EXECUTION_MARKER: mark},
        capture_output=True,
        text=True,
        check=True,
    )
    process = read(int(parent.stdout))
    assert process is not None
    return process.identity


def _lives(identity: Identity) -> bool:
    process = read(identity.pid)
    return process is not None and process.identity == identity and not process.ended


@requirement("processes:leftovers")
@pytest.mark.parametrize("known", [True, False], ids=["known", "marked"])
async def test_leftovers_are_ended_even_when_they_ignore_a_term(known: bool) -> None:
    mark, other = uuid.uuid4().hex, uuid.uuid4().hex
    stubborn = _orphan(mark, 'trap "" TERM; while :; do sleep 1; done')
    bystander = _orphan(other)
    try:
        await LocalLeftovers().end(
            "unused" if known else mark,
            [stubborn] if known else [],
            since=stubborn.started,
            terminate=0.2,
            kill=10,
        )

        assert not _lives(stubborn)
        assert _lives(bystander)
    finally:
        os.kill(bystander.pid, signal.SIGKILL)


@requirement("processes:leftovers")
async def test_a_pid_that_was_given_again_is_not_mistaken() -> None:
    bystander = _orphan(uuid.uuid4().hex)
    try:
        await LocalLeftovers().end(
            "unused",
            [(bystander.pid, bystander.started - 1)],
            since=bystander.started,
            terminate=0.1,
            kill=0.1,
        )

        assert _lives(bystander)
    finally:
        os.kill(bystander.pid, signal.SIGKILL)


@requirement("processes:leftovers")
async def test_what_was_started_before_the_owner_is_none_of_its_own() -> None:
    mark = uuid.uuid4().hex
    bystander = _orphan(mark)
    try:
        await LocalLeftovers().end(mark, [], since=bystander.started + 1, terminate=0.1, kill=0.1)

        assert _lives(bystander)
    finally:
        os.kill(bystander.pid, signal.SIGKILL)
