"""What a push that was seen was: allowed by a redemption, outside of the lease, or nobody can tell.

A redemption allows one push. One that was for a fetch cannot be told from one for a push, so a
push that none allowed is outside for certain, and one that was matched is so as far as is known.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Final

from domain.event import Json
from domain.execution import Handle
from domain.identity import WorkspaceId
from domain.ledger import LedgerEntry, Operation
from domain.push import Push, Unseen, Whose
from domain.repository import RepositoryIdentity

__all__ = (
    "BY_URL",
    "KEY",
    "MAX_DETAIL",
    "PUSH_LIFE",
    "Judged",
    "Tally",
    "Verdict",
    "entry",
    "judge",
    "load",
)

PUSH_LIFE: Final = timedelta(hours=1)
"""From a redemption to the end of the push that it allowed."""
MAX_DETAIL: Final = 255
"""Characters of an entry's detail."""

KEY: Final = "git_pushes"
"""Where a session's metadata has the tally, next to the credential snapshot."""
BY_URL: Final = "by_url"
"""A push to a URL instead of a remote moves no remote-tracking ref, and is never seen."""


class Verdict(StrEnum):
    """The result of a push in the ledger."""

    MATCHED = "matched"
    OUTSIDE = "outside_lease"
    AMBIGUOUS = "ambiguous"
    UNSEEN = "unseen"


@dataclass(frozen=True, slots=True)
class Judged:
    """`redemption` is the entry that a `MATCHED` push was allowed by."""

    verdict: Verdict
    redemption: LedgerEntry | None = None


def judge(told: Push | Unseen, at: datetime, redemptions: Sequence[LedgerEntry]) -> Judged:
    """What was seen `at` a moment; `redemptions` are granted ones that no push was matched with.

    The newest from before it, no older than `PUSH_LIFE`, allowed it; one that came with the look
    that found it only where there is no other. Whether a user pushed from a checkout that the
    session shares with them cannot be told.
    """
    if isinstance(told, Unseen):
        return Judged(Verdict.UNSEEN)
    if told.whose is Whose.AMBIGUOUS:
        return Judged(Verdict.AMBIGUOUS)
    allowed = [each for each in redemptions if at - PUSH_LIFE <= each.at <= at]
    if allowed:
        earlier = [each for each in allowed if told.before is None or each.at <= told.before]
        newest = max(earlier or allowed, key=lambda each: each.sequence)
        return Judged(Verdict.MATCHED, newest)
    return Judged(Verdict.AMBIGUOUS if told.whose is Whose.CHECKOUT else Verdict.OUTSIDE)


def entry(
    told: Push | Unseen,
    judged: Judged,
    at: datetime,
    handle: Handle,
    workspace: WorkspaceId,
    identity: RepositoryIdentity,
) -> LedgerEntry:
    """The line of the ledger; the actor is that of the redemption, and unknown without one."""
    redemption = judged.redemption
    return LedgerEntry(
        at,
        Operation.PUSH,
        judged.verdict.value,
        workspace,
        handle.task,
        handle.session,
        handle.execution,
        told.repository,
        identity,
        redemption.actor if redemption else None,
        _detail(told),
        redemption=redemption.sequence if redemption else None,
    )


@dataclass(frozen=True, slots=True)
class Tally:
    """The pushes of a session since its last start, and what could not be seen of them."""

    matched: int = 0
    outside_lease: int = 0
    ambiguous: int = 0
    not_seen: tuple[str, ...] = (BY_URL,)

    def counting(self, verdict: Verdict, told: Push | Unseen) -> "Tally":
        match verdict:
            case Verdict.MATCHED:
                return replace(self, matched=self.matched + 1)
            case Verdict.OUTSIDE:
                return replace(self, outside_lease=self.outside_lease + 1)
            case Verdict.AMBIGUOUS:
                return replace(self, ambiguous=self.ambiguous + 1)
            case Verdict.UNSEEN:
                return replace(self, not_seen=tuple(sorted({*self.not_seen, _detail(told)})))

    def to_json(self) -> Json:
        return {
            "matched": self.matched,
            "outside_lease": self.outside_lease,
            "ambiguous": self.ambiguous,
            "not_seen": list(self.not_seen),
        }


def load(value: object) -> Tally | None:
    """The tally in a session's metadata; None where there is none that is understood."""
    match value:
        case {
            "matched": int(matched),
            "outside_lease": int(outside),
            "ambiguous": int(ambiguous),
            "not_seen": [*reasons],
        }:
            return Tally(matched, outside, ambiguous, tuple(str(each) for each in reasons))
        case _:
            return None


def _detail(told: Push | Unseen) -> str:
    if isinstance(told, Unseen):
        return told.reason[:MAX_DETAIL]
    refs = [each.ref for each in told.updates]
    more = len(refs) + told.more - 1
    return f"{refs[0] if refs else '-'}{f' and {more} more' if more > 0 else ''}"[:MAX_DETAIL]
