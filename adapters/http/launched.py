"""The answer to a launch: the session, and why its first turn did not begin if it did not."""

import msgspec

from adapters.http.problem_details import Details
from adapters.http.shapes import SessionBody
from domain.session import Session

__all__ = ("LaunchBody",)


class LaunchBody(SessionBody, frozen=True):
    """`prompt_problem` is null when a turn has begun, and when none was asked for."""

    prompt_problem: Details | None

    @classmethod
    def told(cls, session: Session, problem: Details | None) -> "LaunchBody":
        fields = msgspec.structs.asdict(SessionBody.of(session))
        return cls(**fields, prompt_problem=problem)
