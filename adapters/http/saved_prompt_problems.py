"""Sentences for saved prompts that cannot be kept."""

from typing import Final, TypeAlias, assert_never

from adapters.http.problem_details import Details, bad, conflict
from domain.saved_prompt import (
    MAX_ARGUMENTS,
    MAX_DESCRIPTION,
    MAX_PROMPT_NAME,
    MAX_TEXT_BYTES,
    PromptFault,
    UnstorablePrompt,
)
from pipelines.keep_saved_prompts import PromptNameTaken, SavedPromptChanged

__all__ = ("SavedPromptSentence", "saved_prompt_details")

SavedPromptSentence: TypeAlias = UnstorablePrompt | PromptNameTaken | SavedPromptChanged

_FAULTS: Final = {
    PromptFault.NAME: (
        "That cannot be the name of a prompt.",
        f"Use lower case, digits, `-` and `_`, {MAX_PROMPT_NAME} characters at most.",
    ),
    PromptFault.DESCRIPTION: (
        "The description is no line of text, or too long.",
        f"Use {MAX_DESCRIPTION} characters at most.",
    ),
    PromptFault.TEXT: (
        "The text is blank or too long.",
        f"Use {MAX_TEXT_BYTES} bytes at most.",
    ),
    PromptFault.ARGUMENTS: (
        "The arguments cannot be as they are.",
        f"Name each once, {MAX_ARGUMENTS} at most, in lower case, digits and `_`.",
    ),
    PromptFault.UNKNOWN_ARGUMENT: (
        "The text has a place that no argument fills.",
        "Add the argument, or take the place out.",
    ),
}


def saved_prompt_details(problem: SavedPromptSentence) -> Details:
    match problem:
        case UnstorablePrompt(fault=fault):
            return bad("invalid_saved_prompt", *_FAULTS[fault])
        case PromptNameTaken(name=name):
            return conflict("name_taken", f"There is a prompt {name!r}.", "Use another name.")
        case SavedPromptChanged(version=version):
            text = f"The prompt was changed meanwhile; it has version {version} now."
            return conflict("prompt_changed", text, "Read it, then ask again.")
        case _:
            assert_never(problem)
