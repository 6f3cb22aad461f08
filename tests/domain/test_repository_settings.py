"""What a repository may ask for in its new worktrees."""

import pytest

from domain.copy_files import UnknownKeyword
from domain.outcome import Failure, failed
from domain.repository_settings import (
    MAX_COPY_FILES_BYTES,
    RepositorySettings,
    SettingsChange,
    SettingTooLong,
    UnusableScript,
    change,
    check,
)
from domain.script import MAX_SCRIPT_BYTES, FailurePolicy
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


@requirement("script:setting:bound")
@pytest.mark.parametrize("name", ["setup_script", "cleanup_script"])
@pytest.mark.parametrize(("over", "refused"), [(0, False), (1, True)])
def test_a_script_has_a_bound_in_bytes(name: str, over: int, refused: bool) -> None:
    text = "é" * (MAX_SCRIPT_BYTES // 2) + "x" * over

    setup = name == "setup_script"
    wanted = RepositorySettings(setup_script=text if setup else "", cleanup_script=text)

    checked = check(wanted)

    assert failed(checked) == refused
    if refused:
        assert checked.failure() == SettingTooLong(name, MAX_SCRIPT_BYTES)


@requirement("script:setting:bound")
def test_a_script_holds_no_nul() -> None:
    refused = check(RepositorySettings(cleanup_script="true\0"))

    assert refused == Failure(UnusableScript("cleanup_script"))


@requirement("script:setting")
def test_a_change_leaves_what_it_does_not_name() -> None:
    before = RepositorySettings("a", "b", "c", FailurePolicy.BLOCK, "{title}")

    assert change(before, SettingsChange()) == before
    assert change(before, SettingsChange("", "", "", FailurePolicy.CONTINUE, "")) == (
        RepositorySettings()
    )
