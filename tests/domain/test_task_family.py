"""What one task is to another."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from domain.access import Act, allows
from domain.identity import ExecutionId, SessionId, TaskId, WorkspaceId
from domain.principal import Execution
from domain.task import Task, TaskState
from domain.task_family import Kinship, kinship

TOP = Task(
    TaskId("top"),
    WorkspaceId("w"),
    "Top",
    "Work.",
    TaskState.OPEN,
    (),
    datetime(2026, 1, 1, tzinfo=UTC),
)
ONE = replace(TOP, id=TaskId("one"), parent=TOP.id)
TWO = replace(TOP, id=TaskId("two"), parent=TOP.id)
OTHER = replace(TOP, id=TaskId("other"))
AGENT = Execution(ExecutionId("e"), TaskId("any"), SessionId("s"))


@pytest.mark.parametrize(
    ("own", "other", "kin"),
    [
        (TOP, TOP, Kinship.SELF),
        (ONE, TOP, Kinship.PARENT),
        (TOP, ONE, Kinship.CHILD),
        (ONE, TWO, Kinship.SIBLING),
        (TOP, OTHER, None),
        (ONE, OTHER, None),
        (OTHER, ONE, None),
    ],
)
def test_a_task_stands_to_another_as_their_parents_say(
    own: Task, other: Task, kin: Kinship | None
) -> None:
    assert kinship(own, other) is kin


@pytest.mark.parametrize(
    ("act", "own", "parent", "child", "sibling"),
    [
        (Act.SEE, True, True, True, True),
        (Act.MESSAGE, False, True, True, True),
        (Act.CHANGE, True, False, True, False),
        (Act.CONTROL, False, False, True, False),
    ],
)
def test_an_agent_may_do_what_its_task_is_there_for(
    act: Act, *, own: bool, parent: bool, child: bool, sibling: bool
) -> None:
    assert allows(AGENT, ONE, None, ONE, act) is own
    assert allows(AGENT, ONE, None, TOP, act) is parent
    assert allows(AGENT, TOP, None, ONE, act) is child
    assert allows(AGENT, ONE, None, TWO, act) is sibling
    assert not allows(AGENT, ONE, None, OTHER, act)
    assert not allows(AGENT, None, None, ONE, act)
