"""Sign-ins: how long one lasts, and by which cookie a browser shows it."""

from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Final

from domain.identity import SignInId, UserId

__all__ = (
    "MAX_AGENT",
    "SIGN_IN_LIFE",
    "TOUCH_EVERY",
    "SignIn",
    "cookie_name",
    "lasts",
    "seen",
    "started",
)

SIGN_IN_LIFE: Final = timedelta(hours=720)
"""A sign-in ends when it was not used for so long."""
TOUCH_EVERY: Final = timedelta(minutes=1)
"""When it was used is written no oftener."""
MAX_AGENT: Final = 256
"""Characters kept of the browser's own name."""


@dataclass(frozen=True, slots=True)
class SignIn:
    """`digest` is the SHA-256 of the cookie, `agent` what the browser called itself."""

    id: SignInId
    user: UserId
    digest: str
    agent: str
    created_at: datetime
    seen_at: datetime


def started(key: SignInId, user: UserId, digest: str, agent: str, now: datetime) -> SignIn:
    printable = "".join(char for char in agent if char.isprintable())
    return SignIn(key, user, digest, printable[:MAX_AGENT], now, now)


def lasts(sign_in: SignIn, now: datetime) -> bool:
    return now < sign_in.seen_at + SIGN_IN_LIFE


def seen(sign_in: SignIn, now: datetime) -> SignIn | None:
    """What is to be written of its use now; None when that was written lately."""
    return replace(sign_in, seen_at=now) if now >= sign_in.seen_at + TOUCH_EVERY else None


def cookie_name(host: str) -> str:
    """For a Host header: cookies do not tell ports apart (RFC 6265, 8.5), so their name does."""
    _, colon, port = host.rpartition(":")
    return f"kandev_session_{port}" if colon and port.isdigit() else "kandev_session"
