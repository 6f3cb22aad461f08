"""`kandev doctor`: what is installed, what is missing, and how to get it."""

import argparse
import json
import os
import shutil
import sys
from collections.abc import Sequence
from dataclasses import asdict

from adapters.agents.catalogue import Catalogue
from adapters.home.lock import holder
from composition.commands.failures import reported
from composition.examination import examine_git, examine_home
from composition.home_examination import examine_contents
from composition.settings import read_settings
from domain.checkup import Finding, Level, worst

__all__ = ("main",)


def main(arguments: Sequence[str]) -> int:
    if list(arguments[:1]) == ["credentials"]:
        from composition.commands import doctor_credentials  # noqa: PLC0415 -- a topic of its own

        return doctor_credentials.main(arguments[1:])
    more = "`kandev doctor credentials --session ID` examines the credentials of a session."
    parser = argparse.ArgumentParser(prog="kandev doctor", description=__doc__, epilog=more)
    parser.add_argument("--json", action="store_true", help="findings as a JSON array")
    chosen = parser.parse_args(arguments)
    return reported(lambda: show(as_json=chosen.json))


def show(*, as_json: bool) -> int:
    """Print every finding; 1 when something that is needed is missing."""
    settings = read_settings(os.environ)
    findings = [
        *examine_git(shutil.which("git", path=settings.search_path)),
        *examine_home(settings.home, holder(settings.home / "server.lock")),
        *examine_contents(settings, os.environ),
        *agents(settings.search_path),
    ]
    if as_json:
        rows = [asdict(finding) for finding in findings]
        sys.stdout.write(json.dumps(rows) + "\n")
    else:
        for finding in findings:
            fix = f"\n      {finding.fix}" if finding.fix else ""
            sys.stdout.write(f"{finding.level.value:8} {finding.subject}: {finding.seen}{fix}\n")
    return 1 if worst(findings) is Level.BROKEN else 0


def agents(search_path: str) -> list[Finding]:
    return [
        Finding(Level.FINE, "agent_installed", each.agent.title, each.program)
        if each.program
        else Finding(
            Level.ABSENT,
            "agent_not_installed",
            each.agent.title,
            "not installed",
            each.agent.install,
        )
        for each in Catalogue(search_path).all()
    ]
