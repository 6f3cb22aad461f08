"""Looking at this machine and this home for `kandev doctor`; nothing is changed or started."""

import os
import shutil
import subprocess
from pathlib import Path
from typing import Final

from adapters.home.lock import HomeHeld
from domain.checkup import Finding, Level, git_finding, parse_git_version
from domain.outcome import failed

__all__ = ("examine_git", "examine_home")

PROBE_SECONDS: Final = 10.0
LITTLE_BYTES: Final = 1024**3
"""Free space below which a home is warned about."""


def examine_git(program: str | None) -> list[Finding]:
    """The version of git, and whether the managed helper can use its socket client."""
    version = _version(program) if program else None
    finding = git_finding(version, program)
    if program is None or finding.level is not Level.FINE:
        return [finding]
    if _run([program, "credential-cache", "--socket", "/nonexistent", "get"]) is not None:
        return [finding]
    seen = "built without unix sockets: the managed helper starts a Python for each question"
    return [finding, Finding(Level.WARNING, "git_no_sockets", "git", seen, "Install another git.")]


def examine_home(home: Path, held: HomeHeld | None) -> list[Finding]:
    """Whether the home can be used, how full its disk is, and whether a server runs on it."""
    existing = next(path for path in (home, *home.parents) if path.exists())
    subject = str(home)
    if not os.access(existing, os.W_OK):
        fix = "Make it writable, or set KANDEV_HOME elsewhere."
        return [Finding(Level.BROKEN, "home_not_writable", subject, "cannot be written", fix)]
    free = shutil.disk_usage(existing).free
    room = f"{free // 1024**2} MiB free"
    findings = [
        Finding(Level.FINE, "disk", subject, room)
        if free >= LITTLE_BYTES
        else Finding(Level.WARNING, "disk_low", subject, room, "Free some space.")
    ]
    if held is not None:
        findings.append(Finding(Level.FINE, "server_running", "server", held.address or "starting"))
    else:
        fix = "kandev serve"
        findings.append(Finding(Level.ABSENT, "no_server", "server", "none runs", fix))
    return findings


def _version(program: str) -> tuple[int, int] | None:
    told = _run([program, "version"])
    parsed = parse_git_version(told) if told is not None else None
    return None if parsed is None or failed(parsed) else parsed.unwrap()


def _run(command: list[str]) -> str | None:
    """What a command prints; None when it fails or does not end in time."""
    try:
        done = subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=PROBE_SECONDS,
            check=True,
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout
