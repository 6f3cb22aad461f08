"""What to do about each failure of git's; trust is never suggested for every directory."""

import pytest

from domain.git_failure import GitCode, distrusted
from domain.git_remedies import remedy
from tests.requirements import requirement


@requirement("git:command:failures")
@pytest.mark.parametrize("code", GitCode)
def test_every_failure_says_what_to_do(code: GitCode) -> None:
    assert remedy(code).endswith(".")
    assert "*" not in remedy(code)


@requirement("git:command:ownership")
@pytest.mark.parametrize(
    ("said", "path"),
    [
        ("fatal: detected dubious ownership in repository at '/it's here'\nTo add", "/it's here"),
        ("fatal: not a git repository", None),
    ],
)
def test_the_repository_that_git_does_not_trust_is_known_by_its_words(
    said: str, path: str | None
) -> None:
    assert distrusted(said) == path
