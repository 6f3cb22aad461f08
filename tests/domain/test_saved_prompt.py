"""Which prompts may be saved, and what filling one comes to."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.outcome import Failure, Success, failed
from domain.saved_prompt import (
    MAX_ARGUMENTS,
    MAX_DESCRIPTION,
    MAX_FILLED_BYTES,
    MAX_PROMPT_NAME,
    MAX_TEXT_BYTES,
    PromptArgument,
    PromptFault,
    PromptText,
    Unfillable,
    UnfillableWhy,
    UnstorablePrompt,
    check,
    fill,
)
from tests.requirements import requirement

REVIEW = PromptText(
    "review",
    "Review {{what}}.{{how}} {{ what }} {{WHAT}}",
    "Look at work",
    (PromptArgument("what"), PromptArgument("how", "In which way", required=False)),
)


def arguments(count: int) -> tuple[PromptArgument, ...]:
    return tuple(PromptArgument(f"a{number}") for number in range(count))


@requirement("prompt:text")
@pytest.mark.parametrize(
    "written",
    [
        REVIEW,
        replace(REVIEW, name="a" * MAX_PROMPT_NAME),
        replace(REVIEW, name="0-_"),
        replace(REVIEW, description="x" * MAX_DESCRIPTION),
        replace(REVIEW, text="x" * MAX_TEXT_BYTES),
        replace(REVIEW, text="x", arguments=arguments(MAX_ARGUMENTS)),
        replace(REVIEW, arguments=(PromptArgument("what"), PromptArgument("how", "x" * 500))),
    ],
)
def test_a_prompt_that_can_be_filled_is_kept_as_it_is(written: PromptText) -> None:
    assert check(written) == Success(written)


@requirement("prompt:text")
@pytest.mark.parametrize(
    ("written", "fault"),
    [
        (replace(REVIEW, name="a" * (MAX_PROMPT_NAME + 1)), PromptFault.NAME),
        (replace(REVIEW, name=""), PromptFault.NAME),
        (replace(REVIEW, name="Review"), PromptFault.NAME),
        (replace(REVIEW, name="re.view"), PromptFault.NAME),
        (replace(REVIEW, name="review\n"), PromptFault.NAME),
        (replace(REVIEW, description="x" * (MAX_DESCRIPTION + 1)), PromptFault.DESCRIPTION),
        (replace(REVIEW, description="a\nb"), PromptFault.DESCRIPTION),
        (replace(REVIEW, text=" \n"), PromptFault.TEXT),
        (replace(REVIEW, text="x" * (MAX_TEXT_BYTES + 1)), PromptFault.TEXT),
        (replace(REVIEW, arguments=arguments(MAX_ARGUMENTS + 1)), PromptFault.ARGUMENTS),
        (
            replace(REVIEW, arguments=(*REVIEW.arguments, PromptArgument("how"))),
            PromptFault.ARGUMENTS,
        ),
        (replace(REVIEW, arguments=(PromptArgument("What"),)), PromptFault.ARGUMENTS),
        (replace(REVIEW, arguments=(PromptArgument("what", "x" * 501),)), PromptFault.ARGUMENTS),
        (replace(REVIEW, arguments=()), PromptFault.UNKNOWN_ARGUMENT),
    ],
)
def test_a_prompt_that_cannot_be_used_is_refused(written: PromptText, fault: PromptFault) -> None:
    assert check(written) == Failure(UnstorablePrompt(fault))


@requirement("prompt:text")
def test_a_place_is_filled_once_and_what_is_none_stays() -> None:
    assert fill(REVIEW, {"what": "{{how}}", "how": " Slowly."}) == Success(
        "Review {{how}}. Slowly. {{ what }} {{WHAT}}"
    )
    assert fill(REVIEW, {"what": ""}) == Success("Review . {{ what }} {{WHAT}}")


@requirement("prompt:text")
@given(st.text(), st.text())
def test_what_an_argument_brings_in_is_text(what: str, how: str) -> None:
    written = replace(REVIEW, text="<{{what}}|{{how}}|{{what}}>")

    assert fill(written, {"what": what, "how": how}) == Success(f"<{what}|{how}|{what}>")


@requirement("prompt:text")
@pytest.mark.parametrize(
    ("given_arguments", "why", "names"),
    [
        ({}, UnfillableWhy.MISSING, ("what",)),
        ({"how": "x"}, UnfillableWhy.MISSING, ("what",)),
        ({"what": "x", "where": "y"}, UnfillableWhy.UNKNOWN, ("where",)),
    ],
)
def test_a_prompt_is_not_filled_with_too_little_or_what_it_does_not_have(
    given_arguments: dict[str, str], why: UnfillableWhy, names: tuple[str, ...]
) -> None:
    assert fill(REVIEW, given_arguments) == Failure(Unfillable(why, names))


@requirement("prompt:text")
def test_a_filled_prompt_is_no_larger_than_a_prompt() -> None:
    twice = replace(REVIEW, text="{{what}}{{what}}", arguments=(PromptArgument("what"),))
    half = "\N{LATIN SMALL LETTER E WITH ACUTE}" * (MAX_FILLED_BYTES // 4)

    assert not failed(fill(twice, {"what": half}))
    assert fill(twice, {"what": half + "x"}) == Failure(Unfillable(UnfillableWhy.TOO_LARGE))
