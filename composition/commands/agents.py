"""`kandev agents`: the agents that can be launched, and which of them are installed."""

import argparse
import json
import os
import sys
from collections.abc import Sequence

from adapters.agents.catalogue import Catalogue
from adapters.agents.named import FILE, read_named
from composition import start_sentences
from composition.commands.failures import reported
from composition.settings import read_settings
from domain.outcome import failed

__all__ = ("main",)


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="kandev agents", description="List the agents.")
    parser.add_argument("--json", action="store_true", help="as a JSON array")
    chosen = parser.parse_args(arguments)
    return reported(lambda: show(as_json=chosen.json))


def show(*, as_json: bool) -> int:
    settings = read_settings(os.environ)
    named = read_named(settings.home / FILE)
    if failed(named):
        raise start_sentences.agents(named.failure())
    known = Catalogue(settings.search_path, named.unwrap()).all()
    if as_json:
        rows = [
            {"name": each.agent.name, "program": each.program, "install": each.agent.install}
            for each in known
        ]
        sys.stdout.write(json.dumps(rows) + "\n")
        return 0
    for each in known:
        where = each.program or f"not installed: {each.agent.install}"
        sys.stdout.write(f"{each.agent.name:12} {each.agent.title:20} {where}\n")
    return 0
