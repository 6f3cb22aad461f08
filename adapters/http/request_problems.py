"""Sentences for what is asked of things that are not there, or in a form that is none."""

from typing import TypeAlias, assert_never

from adapters.http.problem_details import Details, bad, missing
from domain.access import NotFound
from domain.background import InvalidCommand
from domain.branch import InvalidBranch
from domain.branch_template import PLACEHOLDERS, InvalidTemplate, UnknownPlaceholder
from domain.copy_files import UnknownKeyword
from domain.inquiry import InvalidReply
from domain.repository import InvalidRemote
from domain.repository_settings import SettingsProblem, SettingTooLong, UnusableScript
from domain.task import InvalidExternalId, InvalidPrompt, InvalidStart
from domain.terminal import InvalidSize
from domain.variables import InvalidVariable
from domain.workspace import InvalidName, UnknownMode
from pipelines.create_task import NoRepository, NotCloned, TooDeep
from pipelines.register_repository import RelativePath
from pipelines.workspace_settings import SameWorkspace

__all__ = ("RequestProblem", "request_details")

RequestProblem: TypeAlias = (
    NotFound
    | InvalidName
    | InvalidPrompt
    | InvalidBranch
    | InvalidVariable
    | UnknownMode
    | SameWorkspace
    | NoRepository
    | NotCloned
    | InvalidStart
    | InvalidExternalId
    | TooDeep
    | InvalidReply
    | RelativePath
    | InvalidRemote
    | UnknownKeyword
    | SettingTooLong
    | UnusableScript
    | UnknownPlaceholder
    | InvalidTemplate
    | InvalidCommand
    | InvalidSize
)


def request_details(problem: RequestProblem) -> Details:
    match problem:
        case NotFound(what=what):
            text = f"No such {what.replace('_', ' ')}."
            return missing(f"{what}_not_found", text, "List them.")
        case InvalidName(length=length):
            return bad("invalid_name", f"The name has {length} characters.", "Use 1 to 120.")
        case InvalidPrompt(size=size):
            return bad("invalid_prompt", f"The prompt has {size} bytes.", "Use 1 byte to 1 MiB.")
        case InvalidBranch():
            return bad("invalid_branch", "That is no name of a branch.", "Name a branch.")
        case InvalidVariable(name=name):
            text = f"The environment variable {name!r} cannot be passed to a process."
            return bad("invalid_variable", text, "Correct its name; a value has no NUL.")
        case UnknownMode():
            return bad("unknown_policy", "No such policy.", "Use `managed` or `executor`.")
        case SameWorkspace():
            return bad("same_workspace", "Source and target are one.", "Name another target.")
        case (
            NoRepository()
            | NotCloned()
            | InvalidStart()
            | InvalidExternalId()
            | TooDeep()
            | InvalidReply()
        ):
            return _task_details(problem)
        case RelativePath():
            return bad("relative_path", "The path is not absolute.", "Give an absolute path.")
        case InvalidRemote(reason=reason):
            text = f"The clone URL is not usable: {reason.value.replace('_', ' ')}."
            return bad("invalid_remote", text, "Give an https:// or SSH URL without a password.")
        case (
            UnknownKeyword()
            | SettingTooLong()
            | UnusableScript()
            | UnknownPlaceholder()
            | InvalidTemplate()
            | InvalidCommand()
            | InvalidSize()
        ):
            return _program_details(problem)
        case _:
            assert_never(problem)


def _program_details(problem: SettingsProblem | InvalidCommand | InvalidSize) -> Details:
    match problem:
        case InvalidSize():
            return bad("invalid_size", "No terminal has that size.", "Use 1 to 1000 each way.")
        case InvalidCommand():
            text = "That is no command, or its folder leads out of the workspace."
            return bad("invalid_command", text, "Give 1 byte to 64 KiB, and a folder below.")
        case UnknownKeyword(pattern=pattern, keyword=keyword):
            text = f"{keyword!r} after {pattern!r} is no way to copy a file."
            return bad("unknown_keyword", text, "Use `:symlink`, or no colon.")
        case SettingTooLong(name=name, limit=limit):
            return bad("setting_too_long", f"{name} is too long.", f"Use {limit} bytes.")
        case UnusableScript(name=name):
            return bad("unusable_script", f"{name} holds a NUL.", "Take it out.")
        case UnknownPlaceholder(name=name):
            known = ", ".join(f"{{{each}}}" for each in PLACEHOLDERS)
            text = f"{{{name}}} is no placeholder of a branch template."
            return bad("unknown_placeholder", text, f"Use {known}.")
        case InvalidTemplate():
            text = "The branch template does not make the name of a branch."
            return bad("invalid_template", text, "Use letters, digits, `._/-` and placeholders.")
        case _:
            assert_never(problem)


def _task_details(
    problem: NoRepository | NotCloned | InvalidStart | InvalidExternalId | TooDeep | InvalidReply,
) -> Details:
    match problem:
        case NoRepository():
            return bad("no_repository", "A task needs repositories, each once.", "Name one.")
        case NotCloned():
            text = "Pull requests are fetched into repositories that were cloned."
            return bad("not_cloned", text, "Register the repository by its URL.")
        case InvalidStart():
            text = "The work begins at more than one thing, or at no number of a pull request."
            return bad("invalid_start", text, "Name a base, a branch or a pull request.")
        case InvalidExternalId():
            text = "The external id is blank, over 255 bytes or has control characters."
            return bad("invalid_external_id", text, "Choose another.")
        case TooDeep():
            return bad("too_deep", "A part of a task has no parts.", "Name its parent.")
        case InvalidReply(question=question):
            text = f"Question {question!r} is not answered once, with what it offers or in words."
            return bad("invalid_answer", text, "Answer each question once.")
        case _:
            assert_never(problem)
