"""Sentences for profiles and stored environments that cannot be kept, or not be used."""

from typing import Final, TypeAlias, assert_never

from adapters.http.problem_details import Details, bad, conflict
from domain.environment import ConflictingVariable
from domain.environment_sentence import sentence
from domain.mcp_server import MAX_MCP_BYTES, MAX_MCP_SERVERS, InvalidMcpServer, McpFault
from domain.profile import InvalidChoice
from domain.secret_forms import MIN_VALUE_BYTES
from domain.stored_environment import (
    MAX_BYTES,
    MAX_SECRETS,
    MAX_VARIABLE_BYTES,
    EnvironmentFault,
    SecretMissing,
    UnstorableVariable,
)
from pipelines.keep_profiles import NameTaken, ProfileChanged
from pipelines.session_profiles import OtherAgent

__all__ = ("ProfileSentence", "profile_details")

ProfileSentence: TypeAlias = (
    UnstorableVariable
    | InvalidChoice
    | InvalidMcpServer
    | NameTaken
    | ProfileChanged
    | OtherAgent
    | SecretMissing
    | ConflictingVariable
)

_VARIABLES: Final = {
    EnvironmentFault.RESERVED: "is one of ours",
    EnvironmentFault.DEFINED_TWICE: "is a literal and a secret at once",
    EnvironmentFault.UNREDACTABLE: (
        f"has no line of {MIN_VALUE_BYTES} bytes, so that nothing could keep it out of a log"
    ),
    EnvironmentFault.TOO_LONG: "is too long",
    EnvironmentFault.TOO_MANY_SECRETS: "has too many secrets",
}
_SERVERS: Final = {
    McpFault.NAME: ("has no usable name", "Use letters, digits, `-` and `_`."),
    McpFault.NAME_TAKEN: ("has a name that is taken", "Give each a name of its own."),
    McpFault.COMMAND: ("has no usable command", "Give a command and no URL on stdio."),
    McpFault.URL: ("has no usable URL", "Give an HTTP URL without a password, and no command."),
    McpFault.HEADER: ("has a header that is none", "Name a header of HTTP."),
    McpFault.UNKNOWN_VARIABLE: (
        "names a variable that the profile does not have",
        "Add it to `environment` or `secrets`.",
    ),
    McpFault.TOO_LONG: ("is too long", f"Use {MAX_MCP_BYTES} bytes."),
    McpFault.TOO_MANY: ("is one too many", f"Use {MAX_MCP_SERVERS} servers."),
}


def profile_details(problem: ProfileSentence) -> Details:
    match problem:
        case UnstorableVariable(variable=variable, fault=fault):
            text = f"{repr(variable) if variable else 'The environment'} {_VARIABLES[fault]}."
            return bad("unstorable_variable", text, _remedy(fault))
        case InvalidChoice(field=field):
            return bad("invalid_profile", f"{field} is not usable.", "Shorten it, or omit it.")
        case InvalidMcpServer(index=index, fault=fault):
            text, remedy = _SERVERS[fault]
            return bad("invalid_mcp_server", f"MCP server {index + 1} {text}.", remedy)
        case NameTaken(name=name):
            return conflict("name_taken", f"There is a profile {name!r}.", "Use another name.")
        case ProfileChanged(version=version):
            text = f"The profile was changed meanwhile; it has version {version} now."
            return conflict("profile_changed", text, "Read it, then ask again.")
        case OtherAgent(profile=profile, agent=agent):
            text = f"The agent profile {profile!r} is one of {agent}."
            return conflict("other_agent", text, "Name a profile of the session's agent.")
        case SecretMissing(layer=layer, variable=variable):
            text = f"{layer}: the secret {variable} has no value that can be opened."
            return conflict("secret_missing", text, "Store its value again.")
        case ConflictingVariable():
            remedy = "Remove one of the two, or give both the same value."
            return conflict("conflicting_variable", f"{sentence(problem)}.", remedy)
        case _:
            assert_never(problem)


def _remedy(fault: EnvironmentFault) -> str:
    match fault:
        case EnvironmentFault.RESERVED:
            return "Use another name."
        case EnvironmentFault.DEFINED_TWICE:
            return "Name it once."
        case EnvironmentFault.UNREDACTABLE:
            return "Store it as a literal, or use a longer secret."
        case EnvironmentFault.TOO_LONG:
            return f"Use {MAX_VARIABLE_BYTES} bytes for one and {MAX_BYTES} for all."
        case EnvironmentFault.TOO_MANY_SECRETS:
            return f"Use {MAX_SECRETS} secrets."
        case _:
            assert_never(fault)
