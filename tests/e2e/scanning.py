"""Where the token of the tests, or anything of the shape of a lease or a capability, is found."""

import base64
import re
from pathlib import Path
from typing import Final

from composition.demo import process_scan
from tests.e2e.conftest import TOKEN

SHAPES: Final = re.compile(rb"kd[lc]_[A-Za-z0-9_-]{43,}")
NEEDLES: Final = (TOKEN.encode(), base64.b64encode(f"robot:{TOKEN}".encode()).rstrip(b"="))


def holds(content: bytes) -> bool:
    return any(needle in content for needle in NEEDLES) or SHAPES.search(content) is not None


def files_holding(*folders: Path) -> list[str]:
    """The files below the folders in which a token, a lease or a capability is found."""
    found = []
    for folder in folders:
        for path in folder.rglob("*"):
            if path.is_file() and not path.is_symlink() and holds(path.read_bytes()):
                found.append(path.name)
    return found


def processes_holding() -> list[tuple[str, str]]:
    """The processes below this one that show such a value: their programs, and where."""
    found = []
    for pid in process_scan.descendants():
        for where in ("cmdline", "environ"):
            try:
                content = Path(f"/proc/{pid}/{where}").read_bytes()
                program = Path(f"/proc/{pid}/exe").readlink().name
            except OSError:
                continue
            if holds(content):
                found.append((program, where))
    return found
