"""What a repository asks for in each of its new worktrees."""

from dataclasses import dataclass, replace
from typing import Final, TypeAlias

from domain import copy_files
from domain.branch_template import TemplateProblem, check_template
from domain.copy_files import UnknownKeyword
from domain.outcome import Failure, Result, Success, failed
from domain.script import MAX_SCRIPT_BYTES, FailurePolicy

__all__ = (
    "MAX_COPY_FILES_BYTES",
    "RepositorySettings",
    "SettingTooLong",
    "SettingsChange",
    "SettingsProblem",
    "UnusableScript",
    "change",
    "check",
)

MAX_COPY_FILES_BYTES: Final = 16 * 1024
"""The longest text of copied files, in bytes of UTF-8."""


@dataclass(frozen=True, slots=True)
class RepositorySettings:
    """`copy_files` in the grammar of `domain.copy_files`, the scripts in that of `domain.script`.

    `on_setup_failure` is what a failed setup script means for a launch, `worktree_branch_template`
    what names the branches (`domain.branch_template`).
    """

    copy_files: str = ""
    setup_script: str = ""
    cleanup_script: str = ""
    on_setup_failure: FailurePolicy = FailurePolicy.CONTINUE
    worktree_branch_template: str = ""


@dataclass(frozen=True, slots=True)
class SettingsChange:
    """What becomes different; None leaves a setting as it is."""

    copy_files: str | None = None
    setup_script: str | None = None
    cleanup_script: str | None = None
    on_setup_failure: FailurePolicy | None = None
    worktree_branch_template: str | None = None


@dataclass(frozen=True, slots=True)
class SettingTooLong:
    """The setting of this name has more bytes than its limit."""

    name: str
    limit: int


@dataclass(frozen=True, slots=True)
class UnusableScript:
    """The script of this name holds a NUL, which no argument of a program can."""

    name: str


SettingsProblem: TypeAlias = UnknownKeyword | SettingTooLong | UnusableScript | TemplateProblem


def change(settings: RepositorySettings, wanted: SettingsChange) -> RepositorySettings:
    """The settings with what is wanted in them."""
    copied, setup = wanted.copy_files, wanted.setup_script
    cleanup, policy = wanted.cleanup_script, wanted.on_setup_failure
    template = wanted.worktree_branch_template
    return replace(
        settings,
        copy_files=settings.copy_files if copied is None else copied,
        setup_script=settings.setup_script if setup is None else setup,
        cleanup_script=settings.cleanup_script if cleanup is None else cleanup,
        on_setup_failure=settings.on_setup_failure if policy is None else policy,
        worktree_branch_template=settings.worktree_branch_template
        if template is None
        else template,
    )


def check(settings: RepositorySettings) -> Result[RepositorySettings, SettingsProblem]:
    """The settings, or why they must not be stored."""
    scripts = {
        "setup_script": settings.setup_script,
        "cleanup_script": settings.cleanup_script,
    }
    bounds = {"copy_files": (settings.copy_files, MAX_COPY_FILES_BYTES)}
    bounds |= {name: (text, MAX_SCRIPT_BYTES) for name, text in scripts.items()}
    for name, (text, limit) in bounds.items():
        if len(text.encode("utf-8", "surrogatepass")) > limit:
            return Failure(SettingTooLong(name, limit))
    for name, text in scripts.items():
        if "\0" in text:
            return Failure(UnusableScript(name))
    valid = copy_files.validate(settings.copy_files)
    if failed(valid):
        return valid
    named = check_template(settings.worktree_branch_template)
    return named if failed(named) else Success(settings)
