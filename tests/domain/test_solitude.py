"""How long agentctl stays without a control plane."""

import pytest

from domain.solitude import IDLE_SECONDS, LATEST_SECONDS, Solitude, alone
from tests.requirements import requirement


@requirement("agentctl:alone")
@pytest.mark.parametrize(
    ("alone_for", "idle_for", "verdict"),
    [
        (0, 10 * IDLE_SECONDS, Solitude.STAY),
        (IDLE_SECONDS - 1, 10 * IDLE_SECONDS, Solitude.STAY),
        (IDLE_SECONDS, IDLE_SECONDS - 1, Solitude.STAY),
        (IDLE_SECONDS, IDLE_SECONDS, Solitude.END),
        (LATEST_SECONDS - 1, 0, Solitude.STAY),
        (LATEST_SECONDS, 0, Solitude.END),
    ],
)
def test_agentctl_waits_for_turns_but_not_for_ever(
    alone_for: float, idle_for: float, verdict: Solitude
) -> None:
    assert alone(alone_for=alone_for, idle_for=idle_for) is verdict
