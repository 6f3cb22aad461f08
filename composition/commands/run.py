"""`kandev run`: one task in the terminal, from a repository to the end of its turn.

Ctrl+C cancels the turn; once more stops the agent. The home's running server is used when there is
one; otherwise one is started for this run and ended with it.
"""

import argparse
import asyncio
import json
import os
import signal
import sys
from collections.abc import Sequence
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

from composition.client import ApiError, Client
from composition.commands.failures import reported
from composition.memory import hide_memory
from composition.profile_client import named
from composition.reach import reach
from composition.settings import read_settings
from composition.terminal import render
from domain.script import FailurePolicy

__all__ = ("main",)

EXIT_FAILED = 1
EXIT_CANCELLED = 130
WORKSPACE = "default"
"""The workspace of runs that name none."""


def parser() -> argparse.ArgumentParser:
    made = argparse.ArgumentParser(prog="kandev run", description=__doc__.split("\n\n")[0])
    made.add_argument("prompt", help="what the agent is to do")
    made.add_argument("--repo", required=True, metavar="PATH_OR_URL", help="where it works")
    made.add_argument("--agent", metavar="NAME", help="see `kandev agents`")
    made.add_argument("--profile", metavar="NAME", help="agent profile, see `kandev profile`")
    made.add_argument("--executor-profile", metavar="NAME", help="see `kandev profile`")
    start = made.add_mutually_exclusive_group()
    start.add_argument("--base", metavar="BRANCH", help="branch to start from")
    start.add_argument("--checkout", metavar="BRANCH", help="branch that exists, to work on")
    start.add_argument(
        "--pull-request", metavar="NUMBER", type=int, help="pull request to start from"
    )
    made.add_argument("--workspace", default=WORKSPACE, metavar="NAME", help="default: %(default)s")
    made.add_argument(
        "--setup", metavar="FILE", type=content, help="script for each new worktree, kept"
    )
    made.add_argument(
        "--cleanup", metavar="FILE", type=content, help="script before one is removed, kept"
    )
    made.add_argument(
        "--on-setup-failure",
        choices=[each.value for each in FailurePolicy],
        help="whether the agent starts after a failed setup, kept",
    )
    made.add_argument(
        "--branch-template", metavar="TEXT", help="names the branches of the repository, kept"
    )
    made.add_argument("--allow-dirty", action="store_true", help="leave changes behind knowingly")
    made.add_argument("--yes", action="store_true", help="allow whatever the agent asks for")
    made.add_argument("--json", action="store_true", help="events and outcome as JSON lines")
    return made


def main(arguments: Sequence[str]) -> int:
    words = parser()
    chosen = words.parse_args(arguments)
    if chosen.agent is None and chosen.profile is None:
        words.error("one of --agent and --profile is needed")
    hide_memory()
    return reported(lambda: asyncio.run(run(chosen)))


async def run(chosen: argparse.Namespace) -> int:
    settings = read_settings(os.environ)
    async with AsyncExitStack() as stack:
        client = await stack.enter_async_context(reach(settings))
        workspace = await workspace_named(client, chosen.workspace)
        profiles = await profiles_of(client, workspace, chosen)
        where = {**source(chosen.repo), **settings_of(chosen)}
        repository = await client.post(f"/api/v1/workspaces/{workspace}/repositories", where)
        task = await client.post(
            "/api/v1/tasks",
            {
                "workspace_id": workspace,
                "prompt": chosen.prompt,
                "repositories": [place(repository["id"], chosen)],
            },
        )
        session = await client.post(
            f"/api/v1/tasks/{task['id']}/sessions",
            {
                "agent": chosen.agent,
                **profiles,
                "allow_dirty": chosen.allow_dirty,
                "approve_automatically": chosen.yes,
            },
        )
        refused = session["prompt_problem"]
        if refused is not None:
            await client.post(f"/api/v1/sessions/{session['id']}/stop")
            raise ApiError(*(refused[each] for each in ("status", "code", "detail", "remedy")))
        return await Watch(client, session["id"], chosen.json).until_over()


async def profiles_of(client: Client, workspace: str, chosen: argparse.Namespace) -> dict[str, str]:
    """The ids of the profiles that were named."""
    names = {"agent": chosen.profile, "executor": chosen.executor_profile}
    return {
        f"{kind}_profile_id": (await named(client, kind, workspace, name))["id"]
        for kind, name in names.items()
        if name is not None
    }


def source(repo: str) -> dict[str, str]:
    """A path when there is one, a clone URL otherwise."""
    path = Path(repo)
    if path.exists() or repo.startswith(("/", ".", "~")):
        return {"local_path": str(path.expanduser().resolve())}
    return {"clone_url": repo}


def place(repository: str, chosen: argparse.Namespace) -> dict[str, object]:
    """The repository, and at what of it the work begins."""
    return {
        "repository_id": repository,
        "base_branch": chosen.base,
        "checkout_branch": chosen.checkout,
        "pull_request": chosen.pull_request,
    }


def content(path: str) -> str:
    """The text of a file that an argument names."""
    try:
        return Path(path).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as problem:
        raise argparse.ArgumentTypeError(f"{path} cannot be read: {problem}") from None


def settings_of(chosen: argparse.Namespace) -> dict[str, dict[str, str]]:
    """What was chosen of the repository's settings; the rest stays as it is."""
    wanted = {
        "setup_script": chosen.setup,
        "cleanup_script": chosen.cleanup,
        "on_setup_failure": chosen.on_setup_failure,
        "worktree_branch_template": chosen.branch_template,
    }
    named = {name: text for name, text in wanted.items() if text is not None}
    return {"settings": named} if named else {}


async def workspace_named(client: Client, name: str) -> str:
    known = await client.get("/api/v1/workspaces")
    found = next((each for each in known if each["name"] == name), None)
    made = found or await client.post("/api/v1/workspaces", {"name": name})
    return str(made["id"])


class Watch:
    """Prints a session's events until its turn is over, and passes Ctrl+C on."""

    def __init__(self, client: Client, session: str, as_json: bool) -> None:
        self._client = client
        self._session = session
        self._json = as_json
        self._interrupts: asyncio.Queue[None] = asyncio.Queue()

    async def until_over(self) -> int:
        loop = asyncio.get_running_loop()
        loop.add_signal_handler(signal.SIGINT, self._interrupts.put_nowait, None)
        try:
            async with asyncio.TaskGroup() as group:
                passing = group.create_task(self._pass_interrupts())
                ending = await self._print()
                passing.cancel()
            await self._client.post(f"/api/v1/sessions/{self._session}/stop")
        finally:
            loop.remove_signal_handler(signal.SIGINT)
        return await self._report(ending)

    async def _print(self) -> str:
        async for event in self._client.events(self._session):
            self._show(event)
            if event["kind"] == "permission_request":
                await self._ask(event)
            if event["kind"] == "complete":
                return str(event["body"].get("state"))
        return "unknown"

    def _show(self, event: dict[str, Any]) -> None:
        text = json.dumps(event) + "\n" if self._json else render(event)
        if text:
            sys.stdout.write(text)
            sys.stdout.flush()

    async def _ask(self, event: dict[str, Any]) -> None:
        """Ask the person at the terminal; where nobody sits, the request is cancelled."""
        body = event["body"]
        option = None
        if sys.stdin.isatty() and not self._json:
            option = await asyncio.to_thread(choose, body)
        path = f"/api/v1/sessions/{self._session}/permissions/{body['id']}"
        try:
            await self._client.post(path, {"option_id": option})
        except ApiError as error:
            if error.code != "no_such_permission":
                raise

    async def _pass_interrupts(self) -> None:
        await self._interrupts.get()
        sys.stderr.write("\ncancelling the turn; Ctrl+C once more stops the agent\n")
        await self._client.post(f"/api/v1/sessions/{self._session}/cancel")
        await self._interrupts.get()
        sys.stderr.write("\nstopping the agent\n")
        await self._client.post(f"/api/v1/sessions/{self._session}/stop")

    async def _report(self, ending: str) -> int:
        session = await self._client.get(f"/api/v1/sessions/{self._session}")
        outcome = {
            "outcome": ending,
            "session_id": self._session,
            "workspace": session["metadata"].get("workspace"),
            "branches": session["metadata"].get("branches"),
            "credential": session["metadata"].get("git_credential_snapshot"),
        }
        if self._json:
            sys.stdout.write(json.dumps(outcome) + "\n")
        else:
            branches = ", ".join((outcome["branches"] or {}).values())
            sys.stdout.write(f"{ending}: branch {branches} in {outcome['workspace']}\n")
        return {"completed": 0, "cancelled": EXIT_CANCELLED}.get(ending, EXIT_FAILED)


def choose(body: dict[str, Any]) -> str | None:
    """The option that the person picks; anything else cancels."""
    options = body.get("options", [])
    sys.stderr.write(
        f"\n{body.get('tool_call', {}).get('title', 'The agent asks for permission')}\n"
    )
    for number, option in enumerate(options, 1):
        sys.stderr.write(f"  {number}. {option['name']}\n")
    sys.stderr.write("choose: ")
    sys.stderr.flush()
    answer = sys.stdin.readline().strip()
    if answer.isascii() and answer.isdigit() and 0 < int(answer) <= len(options):
        return str(options[int(answer) - 1]["id"])
    return None
