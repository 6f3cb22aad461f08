"""Words of agents and providers, and the reason that each gives."""

import pytest

from domain.failure_reason import MAX_CHARACTERS, FailureReason, classify, worth_retrying
from tests.requirements import requirement


@requirement("events:failure-reason")
@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("HTTP 401", FailureReason.AUTHENTICATION),
        ("HTTP 402", FailureReason.SUBSCRIPTION),
        ("HTTP 429", FailureReason.RATE),
        ("HTTP 503", FailureReason.UNAVAILABLE),
        ("anthropic_quota_exceeded for user", FailureReason.QUOTA),
        ("you hit the rate-limit", FailureReason.RATE),
        ("you are not authenticated", FailureReason.AUTHENTICATION),
        ("model claude-foo not found here", FailureReason.MODEL),
        ("insufficient_quota for project", FailureReason.QUOTA),
        ('{"code":"usageLimitExceeded"}', FailureReason.QUOTA),
        ("rate_limit_exceeded", FailureReason.RATE),
        ("invalid api key provided", FailureReason.CREDENTIALS),
        ("Unauthorized request", FailureReason.AUTHENTICATION),
        ("5-hour usage limit reached. Resets in 4hr 19min.", FailureReason.QUOTA),
        ("user is not entitled to Copilot", FailureReason.SUBSCRIPTION),
        ("please sign in via gh auth login", FailureReason.AUTHENTICATION),
        ("Invalid Token returned by server", FailureReason.AUTHENTICATION),
        ("Selected model is at capacity", FailureReason.CAPACITY),
        ("connect: network is unreachable", FailureReason.NETWORK),
        ("peer disconnected before response", FailureReason.TRANSPORT),
        ("connection closed unexpectedly", FailureReason.TRANSPORT),
        ("API Error: 529 Overloaded. peer disconnected before response", FailureReason.OVERLOADED),
        ("context canceled: connection closed unexpectedly", FailureReason.AGENT),
        ("thinking blocks in the latest message cannot be modified", FailureReason.SESSION),
        ("something else", FailureReason.AGENT),
        ("", FailureReason.AGENT),
    ],
)
def test_words_give_their_reason(text: str, reason: FailureReason) -> None:
    assert classify(text) is reason


@requirement("events:failure-reason")
@pytest.mark.parametrize(("over", "known"), [(0, True), (1, False)])
def test_only_the_beginning_of_a_text_is_read(over: int, known: bool) -> None:
    words = "rate-limit"
    text = " " * (MAX_CHARACTERS - len(words) + over) + words

    assert (classify(text) is FailureReason.RATE) == known


def test_what_passes_by_itself_is_worth_another_attempt() -> None:
    assert worth_retrying(FailureReason.RATE)
    assert not worth_retrying(FailureReason.AUTHENTICATION)
    assert not worth_retrying(FailureReason.AGENT)
