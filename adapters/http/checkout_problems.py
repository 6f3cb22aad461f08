"""Sentences for what is asked of a session's files and its git, in a form that is none."""

from collections.abc import Mapping
from typing import Final, TypeAlias, assert_never

from adapters.http.problem_details import Details, bad
from domain.checkout_file import (
    MAX_QUERY_CHARACTERS,
    MAX_READ_BYTES,
    MAX_WRITE_BYTES,
    FileCode,
    FileFailure,
    InvalidContent,
    InvalidQuery,
)
from domain.git_change import MAX_MESSAGE_BYTES, InvalidMessage
from domain.git_history import MAX_COMMITS, InvalidLimit
from domain.worktree_path import MAX_PATHS, InvalidPath

__all__ = ("CheckoutProblem", "checkout_details")

CheckoutProblem: TypeAlias = (
    InvalidPath | InvalidMessage | InvalidLimit | InvalidContent | InvalidQuery | FileFailure
)

_FILES: Final[Mapping[FileCode, tuple[int, str, str]]] = {
    FileCode.NOT_FOUND: (404, "There is no such file.", "List the directory."),
    FileCode.NOT_A_FILE: (409, "It is no regular file.", "Name a file."),
    FileCode.NOT_A_DIRECTORY: (409, "It is no directory.", "Name a directory."),
    FileCode.OUTSIDE: (
        409,
        "The way leads out of the worktree or into git's own files.",
        "Name a file that lies inside.",
    ),
    FileCode.TOO_LARGE: (
        409,
        f"The file is larger than {MAX_READ_BYTES} bytes.",
        "Read it in the worktree.",
    ),
    FileCode.CHANGED: (
        409,
        "The file does not hold what is to be replaced.",
        "Read it again, then write it with the new digest.",
    ),
    FileCode.DENIED: (409, "The file cannot be opened.", "Look at its permissions."),
    FileCode.DISK_FULL: (507, "The disk is full.", "Free some space on the disk."),
}


def checkout_details(problem: CheckoutProblem) -> Details:
    match problem:
        case InvalidPath():
            text = "That is no path inside the worktree."
            return bad("invalid_path", text, f"Give relative paths, at most {MAX_PATHS}.")
        case InvalidMessage():
            remedy = f"Write a message of at most {MAX_MESSAGE_BYTES} bytes."
            return bad("invalid_message", "That is no message for a commit.", remedy)
        case InvalidLimit():
            remedy = f"Ask for 1 to {MAX_COMMITS}."
            return bad("invalid_limit", "That many commits cannot be listed.", remedy)
        case InvalidContent():
            text = "That is no content that could be written."
            remedy = f"Give at most {MAX_WRITE_BYTES} bytes, and a digest that was read."
            return bad("invalid_content", text, remedy)
        case InvalidQuery():
            remedy = f"Look for one line of 1 to {MAX_QUERY_CHARACTERS} characters."
            return bad("invalid_query", "That cannot be looked for.", remedy)
        case FileFailure(code=code, path=path):
            status, text, remedy = _FILES[code]
            return Details(status, code.value, "File", f"{path}: {text}", remedy)
        case _:
            assert_never(problem)
