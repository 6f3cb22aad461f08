"""`kandev doctor`: what is installed, what is missing, and how to get it."""

import argparse
import json
import os
import sys
from collections.abc import Sequence
from dataclasses import asdict

from composition.commands.failures import reported
from composition.health import examine_all
from composition.settings import read_settings
from domain.checkup import Level, worst

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
    findings = examine_all(settings, os.environ)
    if as_json:
        rows = [asdict(finding) for finding in findings]
        sys.stdout.write(json.dumps(rows) + "\n")
    else:
        for finding in findings:
            fix = f"\n      {finding.fix}" if finding.fix else ""
            sys.stdout.write(f"{finding.level.value:8} {finding.subject}: {finding.seen}{fix}\n")
    return 1 if worst(findings) is Level.BROKEN else 0
