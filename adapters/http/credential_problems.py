"""Sentences for connections, leases and environments that cannot be used."""

from typing import TypeAlias, assert_never

from adapters.http.git_problems import git_details
from adapters.http.problem_details import Details, bad, conflict
from domain.connection import InvalidConnection
from domain.credential_policy import (
    AmbiguousConnection,
    ConnectionInactive,
    TooManyRepositories,
)
from domain.environment_sentence import sentence
from domain.git_config import MalformedGitConfig
from domain.git_failure import GitCode, GitFailure
from domain.lease import LeaseRefusal
from pipelines.connect_workspace import ProbeElsewhere, TokenRefused
from ports.credential_source import NoCredential, SourceFault

__all__ = ("CredentialSentence", "credential_details")

CredentialSentence: TypeAlias = (
    InvalidConnection
    | ProbeElsewhere
    | TokenRefused
    | NoCredential
    | LeaseRefusal
    | MalformedGitConfig
    | ConnectionInactive
    | AmbiguousConnection
    | TooManyRepositories
)


def credential_details(problem: CredentialSentence) -> Details:
    match problem:
        case InvalidConnection(fault=fault):
            text = f"The connection's {fault.value.replace('_', ' ')} is not usable."
            return bad("invalid_connection", text, "Correct that field.")
        case ProbeElsewhere(host=host):
            return bad("probe_elsewhere", f"The probe is not on {host}.", "Name one on the host.")
        case TokenRefused(host=host, failure=failure):
            return token_refused(host, failure)
        case NoCredential(fault=fault, account=account):
            return no_credential(fault, account)
        case LeaseRefusal(code=code):
            text = f"No lease was issued: {code.value}."
            return conflict(code.value, text, "Look at the connection, then ask again.")
        case MalformedGitConfig():
            text = sentence(problem)
            return conflict("malformed_environment", text, "Correct or unset the variable.")
        case ConnectionInactive(host=host, status=status):
            text = f"The connection to {host} is {status.value}."
            return conflict("connection_inactive", text, "Connect the workspace again.")
        case AmbiguousConnection(host=host):
            text = f"More than one connection serves {host}."
            return conflict("ambiguous_connection", text, "Remove all but one.")
        case TooManyRepositories(count=count):
            text = f"{count} repositories would need a lease."
            return conflict("too_many_repositories", text, "Split the task.")
        case _:
            assert_never(problem)


_SOURCES: dict[SourceFault, tuple[str, str]] = {
    SourceFault.SEALED: (
        "The connection's secret cannot be opened with this installation's key.",
        "Connect the workspace again.",
    ),
    SourceFault.TOOL_MISSING: (
        "The connection is an account of `gh`, which is not installed.",
        "Install the GitHub CLI, or connect with a token.",
    ),
    SourceFault.SIGNED_OUT: (
        "`gh` has no token for the connection's account.",
        "Sign in: gh auth login --hostname HOST",
    ),
    SourceFault.REFUSED: (
        "The forge refuses to give a token for the connection.",
        "Check the App's installation and its access to the repository.",
    ),
    SourceFault.UNREACHABLE: (
        "The forge did not answer when it was asked for a token.",
        "Check the network, then try again.",
    ),
}


def no_credential(fault: SourceFault, account: str) -> Details:
    detail, remedy = _SOURCES[fault]
    whose = f" It is that of {account}." if account else ""
    return Details(409, fault.value, "No credential", detail + whose, remedy)


def token_refused(host: str, failure: GitFailure) -> Details:
    if failure.code is GitCode.AUTHENTICATION:
        return Details(
            422,
            "token_refused",
            "Token refused",
            f"{host} does not let this token read the repository. The old connection stands.",
            "Give a token that can read and push to the repository.",
        )
    return Details(
        422,
        failure.code.value,
        "Cannot validate the token",
        failure.detail,
        git_details(failure).remedy,
    )
