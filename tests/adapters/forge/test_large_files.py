"""Git LFS on the forge: by the real git-lfs, and what a client that is none is told."""

import base64
import hashlib
import json
import os
import shutil
from http.client import HTTPSConnection
from pathlib import Path

import pytest

from adapters.forge.forge import Forge
from adapters.forge.large_files import MAX_OBJECTS
from tests.adapters.forge.conftest import TOKEN, Git, connect
from tests.requirements import requirement

CONTENT = b"a large file\n"
OID = hashlib.sha256(CONTENT).hexdigest()
OBJECTS = "/team/app.git/info/lfs/objects"


def asked(forge: Forge, method: str, path: str, body: bytes = b"") -> tuple[int, bytes]:
    connection: HTTPSConnection = connect(forge)
    token = base64.b64encode(f"ada:{TOKEN}".encode()).decode()
    connection.request(method, path, body=body, headers={"Authorization": f"Basic {token}"})
    answer = connection.getresponse()
    content = answer.read()
    connection.close()
    return answer.status, content


def batch(operation: str, *oids: str) -> bytes:
    objects = [{"oid": oid, "size": len(CONTENT)} for oid in oids]
    return json.dumps({"operation": operation, "objects": objects}).encode()


@requirement("forge:large-files")
def test_what_git_lfs_pushes_is_fetched_again(forge: Forge, git: Git, clone: Path) -> None:
    content = os.urandom(300_000)
    git("-C", "clone", "lfs", "install", "--local")
    git("-C", "clone", "lfs", "track", "*.bin")
    (clone / "big.bin").write_bytes(content)
    git("-C", "clone", "add", "--all")
    git("-C", "clone", "commit", "--quiet", "--message=Big")
    pushed = git("-C", "clone", "push", "--quiet", "origin", "main")
    shutil.rmtree(clone / ".git" / "lfs" / "objects")
    (clone / "big.bin").unlink()
    pulled = git("-C", "clone", "lfs", "pull")
    git("-C", "clone", "checkout", "--", "big.bin")

    assert pushed.returncode == 0, pushed.stderr
    assert pulled.returncode == 0, pulled.stderr
    assert (clone / "big.bin").read_bytes() == content
    stored = git("-C", str(forge.root / "team/app.git"), "show", "main:big.bin").stdout
    assert hashlib.sha256(content).hexdigest() in stored


@requirement("forge:large-files")
def test_an_object_is_kept_once_under_its_own_name_only(forge: Forge) -> None:
    missing = json.loads(asked(forge, "POST", f"{OBJECTS}/batch", batch("download", OID))[1])
    wanted = json.loads(asked(forge, "POST", f"{OBJECTS}/batch", batch("upload", OID))[1])
    false = asked(forge, "PUT", f"{OBJECTS}/{OID}", b"something else")[0]
    kept = asked(forge, "PUT", f"{OBJECTS}/{OID}", CONTENT)[0]
    again = json.loads(asked(forge, "POST", f"{OBJECTS}/batch", batch("upload", OID))[1])

    assert missing["objects"][0]["error"]["code"] == 404
    [told] = wanted["objects"]
    assert told["actions"] == {"upload": {"href": f"https://{forge.host}{OBJECTS}/{OID}"}}
    assert (false, kept) == (422, 200)
    assert again["objects"] == [{"oid": OID, "size": len(CONTENT)}]
    assert asked(forge, "GET", f"{OBJECTS}/{OID}") == (200, CONTENT)


@requirement("forge:large-files")
@pytest.mark.parametrize(
    ("method", "path", "body", "status"),
    [
        ("POST", f"{OBJECTS}/batch", b"no json", 422),
        ("POST", f"{OBJECTS}/batch", b"[]", 422),
        ("POST", f"{OBJECTS}/batch", batch("remove", OID), 422),
        ("POST", f"{OBJECTS}/batch", batch("upload", "../../HEAD"), 422),
        ("POST", f"{OBJECTS}/batch", batch("upload", *[OID] * MAX_OBJECTS), 200),
        ("POST", f"{OBJECTS}/batch", batch("upload", *[OID] * (MAX_OBJECTS + 1)), 422),
        ("POST", f"/team/none.git/info/lfs/objects/{OID}", b"", 404),
        ("GET", f"/../team/app.git/info/lfs/objects/{OID}", b"", 404),
        ("GET", f"{OBJECTS}/{OID}", b"", 404),
        ("GET", f"{OBJECTS}/batch", b"", 405),
    ],
)
def test_what_it_does_not_serve_has_its_status(
    forge: Forge, method: str, path: str, body: bytes, status: int
) -> None:
    assert asked(forge, method, path, body)[0] == status
