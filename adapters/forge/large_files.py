"""Git LFS as the forge serves it: the batch API with `basic` transfers, objects by their digest.

<https://github.com/git-lfs/git-lfs/blob/main/docs/api/README.md>. Whoever asks was authenticated.
"""

import hashlib
import json
import re
from pathlib import Path
from typing import Any, Final
from urllib.parse import unquote, urlsplit

from adapters.forge.server import Answer, Request

__all__ = ("MAX_OBJECTS", "ask")

MAX_OBJECTS: Final = 1000
"""Of one batch; git-lfs asks for a hundred at a time."""

_TYPE: Final = (("Content-Type", "application/vnd.git-lfs+json"),)
_ENDPOINT: Final = re.compile(r"/(.+\.git)/info/lfs/objects/(batch|[0-9a-f]{64})")
_OID: Final = re.compile(r"[0-9a-f]{64}")


def ask(root: Path, origin: str, request: Request) -> Answer | None:
    """Answer for a repository below `root`, served at `origin`; None where LFS is not meant."""
    endpoint = _ENDPOINT.fullmatch(unquote(urlsplit(request.target).path))
    if endpoint is None:
        return None
    repository = (root / endpoint[1]).resolve()
    if not repository.is_relative_to(root.resolve()) or not (repository / "HEAD").is_file():
        return Answer(404, _TYPE, b"{}")
    store = repository / "lfs" / "objects"
    match request.method, endpoint[2]:
        case "POST", "batch":
            return _batch(store, f"{origin}/{endpoint[1]}/info/lfs/objects", request.body)
        case "PUT", oid if oid != "batch":
            return _keep(store, oid, request.body)
        case "GET", oid if oid != "batch":
            return _give(store, oid)
    return Answer(405)


def _batch(store: Path, address: str, body: bytes) -> Answer:
    try:
        asked = json.loads(body)
        wanted = [(str(each["oid"]), int(each["size"])) for each in asked["objects"]]
        operation = str(asked["operation"])
    except (ValueError, TypeError, KeyError):
        return Answer(422, _TYPE, b"{}")
    known = operation in {"upload", "download"} and len(wanted) <= MAX_OBJECTS
    if not known or not all(_OID.fullmatch(oid) for oid, _ in wanted):
        return Answer(422, _TYPE, b"{}")
    objects = [_object(store, address, operation, oid, size) for oid, size in wanted]
    return Answer(200, _TYPE, json.dumps({"transfer": "basic", "objects": objects}).encode())


def _object(store: Path, address: str, operation: str, oid: str, size: int) -> dict[str, Any]:
    """What the client has to do for an object: nothing for one that is here and is uploaded."""
    told: dict[str, Any] = {"oid": oid, "size": size}
    here = (store / oid).is_file()
    if operation == "download" and not here:
        told["error"] = {"code": 404, "message": "no such object"}
    elif operation == "download" or not here:
        told["actions"] = {operation: {"href": f"{address}/{oid}"}}
    return told


def _keep(store: Path, oid: str, content: bytes) -> Answer:
    if hashlib.sha256(content).hexdigest() != oid:
        return Answer(422, _TYPE, b"{}")
    store.mkdir(parents=True, exist_ok=True)
    (store / oid).write_bytes(content)
    return Answer(200)


def _give(store: Path, oid: str) -> Answer:
    if not (store / oid).is_file():
        return Answer(404)
    return Answer(200, (("Content-Type", "application/octet-stream"),), (store / oid).read_bytes())
