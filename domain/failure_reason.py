"""Why a turn failed, told from the words of an agent and of its provider.

The first rule that matches wins, the most specific first. What no rule knows is named as such, and
never guessed. Only the beginning of a text is read, so that a long log cannot decide.
"""

import re
from enum import StrEnum
from typing import Final

__all__ = ("MAX_CHARACTERS", "FailureReason", "classify", "worth_retrying")

MAX_CHARACTERS: Final = 4096
"""How much of a text is read."""


class FailureReason(StrEnum):
    """Stable on the wire."""

    AUTHENTICATION = "auth_required"
    CREDENTIALS = "missing_credentials"
    SUBSCRIPTION = "subscription_required"
    MODEL = "model_unavailable"
    RATE = "rate_limited"
    QUOTA = "quota_limited"
    NETWORK = "network_unavailable"
    CAPACITY = "model_capacity"
    OVERLOADED = "provider_overloaded"
    UNAVAILABLE = "provider_unavailable"
    TRANSPORT = "agent_transport_lost"
    SESSION = "resume_corrupted"
    AGENT = "agent_runtime_error"
    """No rule knows it."""


_OURS: Final = re.compile(
    r"context canceled|context deadline exceeded|cancel escalated", re.IGNORECASE
)
"""Of an ending that somebody here asked for: the connection that closed then tells nothing."""

_RULES: Final = tuple(
    (reason, re.compile(pattern, re.IGNORECASE))
    for reason, pattern in (
        (FailureReason.OVERLOADED, r"\b529\b|overloaded"),
        (FailureReason.CAPACITY, r"model is at capacity"),
        (FailureReason.SESSION, r"thinking blocks\b.*\bcannot be modified"),
        (
            FailureReason.QUOTA,
            r"quota[ _]exceeded|insufficient_quota|usage_?limit_?exceeded|usage limit reached",
        ),
        (FailureReason.RATE, r"rate[-_ ]limit|too many requests|\bHTTP 429\b"),
        (FailureReason.SUBSCRIPTION, r"not entitled to|payment required|\bHTTP 402\b"),
        (FailureReason.CREDENTIALS, r"invalid api key|no api key"),
        (
            FailureReason.AUTHENTICATION,
            (
                r"not authenticated|unauthorized|please sign in|invalid token"
                r"|authentication required|\bHTTP 401\b"
            ),
        ),
        (FailureReason.MODEL, r"model \S+ not found|model is not available|unknown model"),
        (FailureReason.UNAVAILABLE, r"\bHTTP 503\b|service unavailable"),
        (
            FailureReason.NETWORK,
            (
                r"network is unreachable|could not resolve host|name or service not known"
                r"|ENOTFOUND|ECONNREFUSED|ETIMEDOUT"
            ),
        ),
        (
            FailureReason.TRANSPORT,
            r"peer disconnected before response|connection closed unexpectedly",
        ),
    )
)

_PASSING: Final = frozenset({
    FailureReason.CAPACITY,
    FailureReason.NETWORK,
    FailureReason.OVERLOADED,
    FailureReason.RATE,
    FailureReason.TRANSPORT,
    FailureReason.UNAVAILABLE,
})


def classify(text: str) -> FailureReason:
    """The reason that the beginning of the text gives."""
    read = text[:MAX_CHARACTERS]
    for reason, rule in _RULES:
        if rule.search(read) and not (reason is FailureReason.TRANSPORT and _OURS.search(read)):
            return reason
    return FailureReason.AGENT


def worth_retrying(reason: FailureReason) -> bool:
    """Whether the same prompt may work a little later without anyone doing anything."""
    return reason in _PASSING
