"""What a checkout changes, as git shows it: files with counts, and their patches in bounds."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from domain.branch import InvalidBranch, check_branch
from domain.outcome import Failure, Result, Success, failed
from domain.worktree_path import InvalidPath, check_paths, shown

__all__ = (
    "MAX_DIFF_BYTES",
    "MAX_FILES",
    "MAX_FILE_DIFF_BYTES",
    "DiffRequest",
    "FileChange",
    "GitDiff",
    "arguments",
    "check",
    "read",
)

MAX_FILES: Final = 2_000
"""Files that one answer lists; of more it gives the number."""
MAX_FILE_DIFF_BYTES: Final = 256 * 1024
"""Of one file's patch; what is longer is left out whole."""
MAX_DIFF_BYTES: Final = 2 * 1024 * 1024
"""Of all patches of an answer together."""

_FORMAT: Final = (
    "--numstat",
    "--patch",
    "-z",
    "--find-renames",
    "--no-ext-diff",
    "--no-textconv",
    "--no-color",
    "--src-prefix=a/",
    "--dst-prefix=b/",
)
_FILE: Final = re.compile(r"^(?=diff --git )", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class DiffRequest:
    """Against the index, or of the index against HEAD when `staged`.

    With `base`, against where HEAD left that branch. `paths` are files and directories, none for
    all.
    """

    staged: bool = False
    base: str | None = None
    paths: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class FileChange:
    """`added` and `deleted` count lines; None where the file is binary."""

    path: str
    origin: str | None
    added: int | None
    deleted: int | None


@dataclass(frozen=True, slots=True)
class GitDiff:
    """`patch` holds whole files only; `omitted` says of how many it holds nothing."""

    files: tuple[FileChange, ...]
    files_omitted: int
    patch: str
    patches_omitted: int


def check(request: DiffRequest) -> Result[DiffRequest, InvalidBranch | InvalidPath]:
    if request.base is not None and failed(check_branch(request.base)):
        return Failure(InvalidBranch())
    if request.paths and failed(check_paths(request.paths)):
        return Failure(InvalidPath())
    return Success(request)


def arguments(request: DiffRequest) -> tuple[str, ...]:
    """The command for a request that was checked."""
    against = ("--merge-base", request.base) if request.base is not None else ()
    staged = ("--cached",) if request.staged else ()
    return ("--literal-pathspecs", "diff", *_FORMAT, *staged, *against, "--", *request.paths)


def read(output: str) -> GitDiff:
    """The diff that git printed for `arguments`."""
    files, start = _files(output)
    kept: list[str] = []
    size = omitted = 0
    for part in _FILE.split(output[start:]):
        patch = shown(part)
        length = len(patch.encode())
        if length > MAX_FILE_DIFF_BYTES or size + length > MAX_DIFF_BYTES:
            omitted += 1
        else:
            kept.append(patch)
            size += length
    return GitDiff(tuple(files[:MAX_FILES]), max(0, len(files) - MAX_FILES), "".join(kept), omitted)


def _files(output: str) -> tuple[list[FileChange], int]:
    """The counts ahead of the patches, and where the patches begin."""
    files: list[FileChange] = []
    position = 0
    while position < len(output) and output[position] != "\0":
        words = _words(output, position)
        counts, position = next(words)
        added, deleted, path = counts.split("\t", 2)
        origin = None
        if not path:
            origin, position = next(words)
            path, position = next(words)
        files.append(
            FileChange(
                shown(path),
                None if origin is None else shown(origin),
                None if added == "-" else int(added),
                None if deleted == "-" else int(deleted),
            )
        )
    return files, position + 1


def _words(output: str, position: int) -> Iterator[tuple[str, int]]:
    """Words that end with NUL, each with where the next one begins."""
    while True:
        end = output.index("\0", position)
        yield output[position:end], end + 1
        position = end + 1
