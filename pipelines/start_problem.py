"""Why a session did not start, and what is kept of the reason on the session."""

from dataclasses import dataclass, replace
from typing import TypeAlias, assert_never

from domain.access import NotFound
from domain.credential_policy import (
    AmbiguousConnection,
    ConnectionInactive,
    CredentialProblem,
    TooManyRepositories,
)
from domain.environment import ConflictingVariable
from domain.environment_sentence import sentence
from domain.git_config import MalformedGitConfig
from domain.git_failure import GitFailure
from domain.lease import LeaseRefusal
from domain.outcome import failed
from domain.session import Move, NotAllowed, Session, SessionFailure, SessionState, next_state
from domain.stored_environment import SecretMissing
from pipelines.refresh_clone import NoPullRequest
from pipelines.session_profiles import OtherAgent
from ports.credential_source import NoCredential
from ports.runtime import RuntimeProblem

__all__ = ("INTERRUPTED", "DirtyCheckout", "StartProblem", "Superseded", "failure_of", "fallen")

INTERRUPTED = SessionFailure("interrupted", "The start did not come to its end.")
"""What is known of a start that nobody finished."""


@dataclass(frozen=True, slots=True)
class DirtyCheckout:
    """The user's checkout has changes that are not committed, which the task would not see."""

    path: str


@dataclass(frozen=True, slots=True)
class Superseded:
    """Somebody moved the session on while it was starting; their move stands."""


StartProblem: TypeAlias = (
    NotFound
    | NotAllowed
    | ConflictingVariable
    | SecretMissing
    | OtherAgent
    | CredentialProblem
    | GitFailure
    | NoCredential
    | LeaseRefusal
    | DirtyCheckout
    | NoPullRequest
    | RuntimeProblem
    | Superseded
)


def failure_of(problem: StartProblem) -> SessionFailure:
    """The stable code and the detail, without a secret, that a failed session keeps."""
    match problem:
        case RuntimeProblem(code=code, detail=detail) | GitFailure(code=code, detail=detail):
            return SessionFailure(code.value, detail)
        case LeaseRefusal(code=code):
            return SessionFailure(code.value, "")
        case NotFound(what=what):
            return SessionFailure(f"{what}_not_found", "")
        case DirtyCheckout(path=path):
            return SessionFailure("dirty_checkout", path)
        case NoPullRequest(number=number):
            return SessionFailure("pull_request_not_found", str(number))
        case Superseded() | NotAllowed():
            return SessionFailure("superseded", "")
        case NoCredential(fault=fault, account=account):
            return SessionFailure(fault.value, account)
        case MalformedGitConfig() | ConflictingVariable() | SecretMissing() | OtherAgent():
            return _unusable(problem)
        case ConnectionInactive(host=host, status=status):
            return SessionFailure("connection_inactive", f"{host}: {status.value}")
        case AmbiguousConnection(host=host):
            return SessionFailure("ambiguous_connection", host)
        case TooManyRepositories(count=count):
            return SessionFailure("too_many_repositories", str(count))
        case _:
            assert_never(problem)


def _unusable(
    problem: MalformedGitConfig | ConflictingVariable | SecretMissing | OtherAgent,
) -> SessionFailure:
    """Of what was chosen for the start."""
    match problem:
        case MalformedGitConfig():
            return SessionFailure("malformed_environment", sentence(problem))
        case ConflictingVariable():
            return SessionFailure("conflicting_variable", sentence(problem))
        case SecretMissing(layer=layer, variable=variable):
            return SessionFailure("secret_missing", f"{layer}: {variable}")
        case OtherAgent(profile=profile, agent=agent):
            return SessionFailure("other_agent", f"{profile}: {agent}")
        case _:
            assert_never(problem)


def fallen(session: Session, failure: SessionFailure) -> Session | None:
    """The session after a start that failed, None when it was not starting.

    One that was asked to stop meanwhile is stopped; only one in `FAILED` says why.
    """
    following = next_state(session.state, Move.START_FAILED)
    if failed(following):
        return None
    state = following.unwrap()
    kept = failure if state is SessionState.FAILED else None
    return replace(session, state=state, failure=kept)
