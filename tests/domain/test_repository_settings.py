"""What a repository may ask for in its new worktrees."""

import pytest

from domain.copy_files import UnknownKeyword
from domain.outcome import Failure, failed
from domain.repository_settings import (
    MAX_COPY_FILES_BYTES,
    RepositorySettings,
    SettingTooLong,
    check,
)
from tests.requirements import requirement


@requirement("copy-files:refused")
def test_an_unknown_keyword_is_refused() -> None:
    refused = check(RepositorySettings(".env:hardlink"))

    assert refused == Failure(UnknownKeyword(".env", "hardlink"))


@pytest.mark.parametrize(("over", "refused"), [(0, False), (1, True)])
def test_the_text_has_a_bound_in_bytes(over: int, refused: bool) -> None:
    text = "é" * (MAX_COPY_FILES_BYTES // 2) + "x" * over

    checked = check(RepositorySettings(text))

    assert failed(checked) == refused
    if refused:
        assert checked.failure() == SettingTooLong("copy_files", MAX_COPY_FILES_BYTES)
