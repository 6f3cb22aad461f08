"""Which option an automatic approval picks."""

import pytest

from domain.permission import Option, approve
from tests.requirements import requirement


def _options(*kinds: str) -> list[Option]:
    return [Option(f"{kind}-id", kind, kind) for kind in kinds]


@requirement("agentctl:permission:automatic")
@pytest.mark.parametrize(
    ("kinds", "chosen"),
    [
        (["allow_once"], "allow_once-id"),
        (["reject_once", "allow_once"], "allow_once-id"),
        (["allow_always", "allow_once"], "allow_once-id"),
        (["reject_always", "allow_always"], "allow_always-id"),
        (["reject_once", "reject_always"], None),
        (["of_the_future"], None),
        ([], None),
    ],
)
def test_an_automatic_approval_picks_the_narrowest_option_that_allows(
    kinds: list[str], chosen: str | None
) -> None:
    assert approve(_options(*kinds)) == chosen
