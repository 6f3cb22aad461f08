"""The `kandev` command: one module a verb, imported when the verb is used."""

import argparse
import importlib
import sys
from collections.abc import Sequence
from typing import Final

from composition.settings import VERSION

__all__ = ("main",)

VERBS: Final = {
    "serve": "start the server",
    "run": "run one task in the terminal",
    "demo": "watch the whole product do its job, against real parts",
    "explain": "say what git sees in a session, and where it came from",
    "doctor": "say what is installed, what is missing and how to get it",
    "logs": "fetch a diagnostic bundle from the server on this machine",
    "queue": "list and change the prompts that wait for a session's agent",
    "restore": "open an archived task again, with the work of its worktrees",
    "backup": "copy the database, list and check the copies, put one back",
    "secrets": "seal the stored secrets with a new key, and forget old ones",
    "service": "write a user service that serves the home",
    "mcp": "the tools for other agents, as an MCP server on stdio",
    "ledger": "list what was done with leases, or export it",
    "profile": "list, show, set and remove what agents are launched with",
    "prompt": "list, show, set and remove the prompts that are saved for use",
    "audit": "what was done to accounts, tokens, connections and policies",
    "token": "make, list and revoke the access tokens of other clients",
    "workspace": "list workspaces, and take members in or let them go",
    "user": "list accounts, invite, and change what an account may",
    "agents": "list the agents that can be launched",
    "demo-agent": "the scripted agent, as an ACP process on stdio",
}

MODULES: Final = {"service": "user_service"}
"""The modules that are not named like their verb."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a verb; its exit code. 2 is a wrong command line."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    parser = argparse.ArgumentParser(
        prog="kandev",
        description="The control plane that people trust their coding agents with.",
        epilog="`kandev VERB --help` tells more about each.",
    )
    parser.add_argument("--version", action="version", version=f"kandev {VERSION}")
    verbs = parser.add_subparsers(dest="verb", metavar="VERB", required=True)
    for verb, summary in VERBS.items():
        verbs.add_parser(verb, help=summary, add_help=False)
    known, rest = parser.parse_known_args(words[:1]), words[1:]
    verb = known[0].verb
    name = MODULES.get(verb, verb.replace("-", "_"))
    module = importlib.import_module(f"composition.commands.{name}")
    return int(module.main(rest))


if __name__ == "__main__":
    sys.exit(main())
