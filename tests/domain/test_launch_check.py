"""What stops a managed launch where the agent is to run."""

import pytest

from domain.checkup import NEEDED_GIT
from domain.launch_check import AmbientNetrc, GitTooOld, check
from tests.requirements import requirement

HOSTS = ("github.com", "forge.example:8443", "[::1]:443")


@requirement("launch:netrc")
@pytest.mark.parametrize(
    ("machines", "found"),
    [
        ((), ()),
        (("other.example",), ()),
        (("GitHub.com",), ("GitHub.com",)),
        (("forge.example",), ("forge.example",)),
        (("other.example", "default"), ("default",)),
        (("github.com", "default"), ("github.com", "default")),
    ],
)
def test_an_entry_for_a_managed_host_stops_it(
    machines: tuple[str, ...], found: tuple[str, ...]
) -> None:
    refused = check(HOSTS, machines, NEEDED_GIT, accepts_netrc=False)

    assert refused == (AmbientNetrc(found) if found else None)
    assert check(HOSTS, machines, NEEDED_GIT, accepts_netrc=True) is None


@requirement("launch:git")
@pytest.mark.parametrize(
    ("version", "stops"),
    [
        ((2, 30), True),
        ((2, 31), False),
        ((2, 39), False),
        ((3, 0), False),
        ((1, 99), True),
        (None, True),
    ],
)
def test_a_git_from_before_the_indexed_list_stops_it(
    version: tuple[int, int] | None, stops: bool
) -> None:
    refused = check(HOSTS, (), version, accepts_netrc=True)

    assert refused == (GitTooOld(version) if stops else None)
