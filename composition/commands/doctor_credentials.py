"""`kandev doctor credentials`: which helper answers git in a session, and what goes around it."""

import argparse
import asyncio
import json
import os
import sys
from collections.abc import Iterator, Sequence
from typing import Any, Final

from composition.commands.explain import CHANNELS
from composition.commands.failures import reported
from composition.reach import attach
from composition.settings import read_settings
from composition.terminal import plain
from domain.credential_doctor import Fate, Verdict
from domain.open_channels import Channel
from domain.push import REFLOGS_OFF
from domain.push_verdict import BY_URL

__all__ = ("main",)

EXIT_FAILED: Final = 1

VERDICTS: Final = {
    Verdict.MANAGED: "the managed helper answered",
    Verdict.OTHER: "another helper answered",
    Verdict.MANAGED_FAILED: "the managed helper gave no credential, and git stopped",
    Verdict.MISSING: "no helper of the executor has a credential",
}

REMEDIES: Final = {
    Verdict.MANAGED_FAILED: "Look at `kandev ledger --session` for the refusal and its code.",
    Verdict.MISSING: "Sign in on the executor, or connect the workspace to the host.",
}

FATES: Final = {
    Fate.ANSWERED: "answered",
    Fate.SILENT: "was asked and gave no credential",
    Fate.RESET: "skipped: a later empty entry clears it",
    Fate.ELSEWHERE: "skipped: it is for another URL",
    Fate.NOT_REACHED: "skipped: git had its answer before",
}


PUSHES: Final = {
    "matched": "matched with a redemption",
    "outside_lease": "outside the lease",
    "ambiguous": "ambiguous",
}

NOT_SEEN: Final = {
    BY_URL: "a push to a URL leaves no trace, and is not counted",
    REFLOGS_OFF: "git keeps no reflogs in a repository: pushes there are not counted",
}


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="kandev doctor credentials", description=__doc__)
    parser.add_argument("--session", required=True, metavar="ID", help="a session whose agent runs")
    parser.add_argument("--json", action="store_true", help="one JSON object")
    chosen = parser.parse_args(arguments)
    return reported(lambda: asyncio.run(show(chosen.session, as_json=chosen.json)))


async def show(session: str, *, as_json: bool) -> int:
    """Print the report; 1 when git would get no credential for a repository."""
    async with attach(read_settings(os.environ)) as client:
        report = await client.get(f"/api/v1/sessions/{session}/credential-doctor")
    if as_json:
        sys.stdout.write(json.dumps(report) + "\n")
    else:
        sys.stdout.writelines(f"{plain(line)}\n" for line in told(report))
    missing = {each["verdict"] for each in report["repositories"]} & set(REMEDIES)
    return EXIT_FAILED if missing else 0


def told(report: dict[str, Any]) -> Iterator[str]:
    snapshot = report["snapshot"] or {}
    words = [str(snapshot.get(name)) for name in ("policy", "source", "actor")]
    yield f"at its start: {' / '.join(words)}"
    yield from told_of_pushes(report["pushes"])
    for each in report["repositories"]:
        verdict = Verdict(each["verdict"])
        yield f"{each['host']}{each['path']}: {VERDICTS[verdict]} [{verdict.value}]"
        if verdict in REMEDIES:
            yield f"  {REMEDIES[verdict]}"
        for helper in each["helpers"]:
            where = f"{helper['scope']}, {helper['origin']}"
            yield f"  {helper['name']} ({where}): {FATES[Fate(helper['fate'])]}"
    for channel in report["channels"]:
        names = ", ".join(channel["names"])
        yield f"open: {CHANNELS[Channel(channel['channel'])]}{f' ({names})' if names else ''}"


def told_of_pushes(pushes: dict[str, Any] | None) -> Iterator[str]:
    if pushes is None:
        return
    counts = ", ".join(f"{pushes[name]} {text}" for name, text in PUSHES.items())
    yield f"pushes since then: {counts}"
    for reason in pushes["not_seen"]:
        yield f"  {NOT_SEEN.get(reason, reason)}"
