"""The token by which clients of this installation prove themselves; made at the first start."""

import re
from base64 import urlsafe_b64encode
from dataclasses import dataclass
from typing import Final

from domain.outcome import Failure, Result, Success, failed
from domain.secret import Secret
from ports.ids import Ids
from ports.private_file import PrivateFile, PrivateFileProblem

__all__ = ("MalformedToken", "find_or_make_token", "find_token")

_RANDOM_BYTES: Final = 32
_SHAPE: Final = re.compile(rb"kdt_[A-Za-z0-9_-]{43}")


@dataclass(frozen=True, slots=True)
class MalformedToken:
    """The file holds no token of ours; removing it has a new one made."""

    path: str


def find_token(file: PrivateFile) -> Result[Secret | None, PrivateFileProblem | MalformedToken]:
    """The token, None when none was made yet."""
    read = file.read()
    if failed(read):
        return read
    content = read.unwrap()
    if content is None:
        return Success(None)
    line = content.removesuffix(b"\n")
    if not _SHAPE.fullmatch(line):
        return Failure(MalformedToken(file.path))
    return Success(Secret(line.decode()))


def find_or_make_token(
    file: PrivateFile, ids: Ids
) -> Result[Secret, PrivateFileProblem | MalformedToken]:
    """The token, made now when there is none; of two who make one the first one's counts."""
    found = find_token(file)
    if failed(found):
        return found
    token = found.unwrap()
    if token is not None:
        return Success(token)
    made = Secret("kdt_" + urlsafe_b64encode(ids.random(_RANDOM_BYTES)).rstrip(b"=").decode())
    created = file.create(made.reveal().encode() + b"\n")
    if failed(created):
        return created
    return Success(made) if created.unwrap() else find_or_make_token(file, ids)
