"""The story: an agent edits, commits and pushes with a brokered credential, and what is seen."""

import asyncio
import json
import secrets
import shlex
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from composition.client import Client
from composition.demo import process_scan
from composition.demo.evidence import ask_for_evidence
from composition.demo.report import Report
from composition.demo.stage import APP, LOGIN, OTHER, STRATEGY, Stage

__all__ = ("Story",)

TURN_SECONDS: Final = 60.0
"""One turn of the scripted agent at most."""
_AUTHOR = "git -c user.name=Scripted -c user.email=scripted@localhost"


def lines(*directives: str) -> str:
    return "\n".join(("e2e:", *directives))


def call(name: str, *arguments: str) -> str:
    return f"{name}({', '.join(json.dumps(each) for each in arguments)})"


@dataclass(slots=True)
class Story:
    stage: Stage
    client: Client
    report: Report
    first_token: str
    workspace: str = ""
    repository: dict[str, Any] | None = None
    session: dict[str, Any] | None = None
    seen_events: int = 0

    async def tell(self) -> None:
        await self.register()
        await self.launch()
        await self.push_under_watch()
        await self.rotate()
        await self.push_elsewhere()
        await ask_for_evidence(self.prompt, self.worktree, self.report)
        await self.end()

    async def register(self) -> None:
        forge = self.stage.forge
        made = await self.client.post("/api/v1/workspaces", {"name": "demo"})
        self.workspace = made["id"]
        policy = made["task_git_credentials_mode"]
        self.report.step(f"registered a workspace with the policy `{policy}`")
        connection = await self.connect(self.first_token)
        self.report.step(f"connected it to https://{forge.host} as {connection['login']}")
        repository = await self.client.post(
            f"/api/v1/workspaces/{self.workspace}/repositories", {"clone_url": forge.url(APP)}
        )
        self.repository = repository
        self.report.step(f"cloned {repository['path']} at {repository['default_branch']}")

    async def connect(self, token: str) -> dict[str, Any]:
        forge = self.stage.forge
        connection: dict[str, Any] = await self.client.put(
            f"/api/v1/workspaces/{self.workspace}/connections",
            {
                "host": forge.host,
                "login": LOGIN,
                "token": token,
                "probe_url": forge.url(APP),
                "certificate_authority": forge.authority,
            },
        )
        return connection

    async def launch(self) -> None:
        assert self.repository is not None, "registered before"
        task = await self.client.post(
            "/api/v1/tasks",
            {
                "workspace_id": self.workspace,
                "title": "Greet the world",
                "prompt": "Make the greeting friendlier, commit it and push it.",
                "repositories": [{"repository_id": self.repository["id"]}],
            },
        )
        self.report.step(f"created the task {task['title']!r}")
        self.session = await self.client.post(
            f"/api/v1/tasks/{task['id']}/sessions", {"agent": "demo", "prompt": ""}
        )
        workspace = Path(self.session["metadata"]["workspace"])
        self.report.step(f"launched the scripted agent in {workspace}")

    async def push_under_watch(self) -> None:
        """The first push, which the forge holds open until every process was looked at."""
        forge, stage = self.stage.forge, self.stage
        forge.hold_pushes()
        prompt = lines(
            call("message", "I will greet the world.\n"),
            call("edit", "src/greeting.txt", "hello, world\n"),
            call("run", f"git add --all && {_AUTHOR} commit --quiet -m 'Greet the world'"),
            call("run", "git push --quiet origin HEAD"),
        )
        async with asyncio.TaskGroup() as group:
            turn = group.create_task(self.prompt(prompt))
            held = await asyncio.to_thread(forge.wait_for_push, TURN_SECONDS)
            self.look_for_token(held)
            forge.release_pushes()
            events = await turn
        self.report.step("the agent edited, committed and pushed")
        self.tell_tools(events)

        head = git(self.worktree, "rev-parse", "HEAD")
        pushed = self.pushed_commit()
        self.report.check("the commit is in the forge", head == pushed, pushed[:12] or "nothing")
        users = {
            each.user
            for each in forge.seen()
            if each.service == "git-receive-pack" and each.accepted
        }
        self.report.check(
            "the forge saw the broker's identity", users == {LOGIN}, ", ".join(map(str, users))
        )
        told = stage.hook_log.read_text("utf-8").split() if stage.hook_log.exists() else []
        self.report.check(
            "the host's hook ran, and git had the host's notes strategy",
            told == [STRATEGY],
            ", ".join(told) or "it did not run",
        )
        await self.check_snapshot()

    def look_for_token(self, held: bool) -> None:
        """Scan every process of the run, after a decoy has shown that the scan finds."""
        decoy = f"decoy-{secrets.token_hex(16)}"
        sleeper = [sys.executable, "-I", "-S", "-c", "print(flush=True); input()"]
        with (
            planted([*sleeper, decoy]) as in_arguments,
            planted(sleeper, {"X": decoy}) as in_environment,
        ):
            decoys = process_scan.scan(process_scan.descendants(), decoy)
            for each in (in_arguments, in_environment):
                each.kill()
        where = sorted(each.where for each in decoys.found)
        self.report.check(
            "the scan finds a planted decoy",
            where == ["arguments", "environment"],
            " and ".join(where) or "nothing",
        )
        pids = {*process_scan.descendants(), *process_scan.with_mark(self.stage.mark)}
        looked = process_scan.scan(sorted(pids), self.first_token)
        pushing = held and any("git-remote-https" in each for each in looked.programs)
        shown = ", ".join(f"{each.program} ({each.where})" for each in looked.found)
        seen = f"{len(looked.programs)} processes, git-remote-https among them"
        if looked.hidden:
            seen += f"; the kernel hides the environment of {len(looked.hidden)}"
        self.report.check(
            "no process has the token in its environment or arguments during the push",
            pushing and not looked.found,
            shown or seen if pushing else "no push was held",
        )
        self.report.step(f"looked at {len(looked.programs)} processes while the push was held")

    async def check_snapshot(self) -> None:
        assert self.session is not None, "launched before"
        session = await self.client.get(f"/api/v1/sessions/{self.session['id']}")
        snapshot = session["metadata"].get("git_credential_snapshot", {})
        self.report.note(json.dumps(snapshot))
        told = (snapshot.get("policy"), snapshot.get("source"), snapshot.get("actor"))
        self.report.check(
            "the snapshot says who the agent acts as",
            told == ("managed", "workspace", LOGIN),
            " / ".join(map(str, told)),
        )

    async def rotate(self) -> None:
        """The forge takes another token from now on; the session goes on."""
        fresh = secrets.token_hex(20)
        self.stage.forge.token = fresh
        await self.connect(fresh)
        self.report.step("rotated the token at the forge and in the workspace")
        prompt = lines(
            call("edit", "src/farewell.txt", "goodbye\n"),
            call("run", f"git add --all && {_AUTHOR} commit --quiet -m 'Say goodbye'"),
            call("run", "git push --quiet origin HEAD"),
        )
        self.tell_tools(await self.prompt(prompt))
        head, pushed = git(self.worktree, "rev-parse", "HEAD"), self.pushed_commit()
        self.report.check(
            "a second push works after the rotation", head == pushed, pushed[:12] or "nothing"
        )

    async def push_elsewhere(self) -> None:
        """Another repository of the same forge is not the task's."""
        forge = self.stage.forge
        url = shlex.quote(forge.url(OTHER))
        push = call("run", f"git push --quiet {url} HEAD:refs/heads/stolen")
        events = await self.prompt(lines(push))
        self.report.step("the agent tried to push to another repository")
        self.tell_tools(events)
        refused = any(
            event["kind"] == "tool_update" and event["body"].get("status") == "error"
            for event in events
        )
        let_in = [each for each in forge.seen() if OTHER in each.path and each.accepted]
        self.report.check(
            "a push to another repository is refused, with no credential sent",
            refused and not let_in,
            "refused" if refused and not let_in else "it was not refused",
        )

    async def end(self) -> None:
        assert self.session is not None, "launched before"
        await self.client.post(f"/api/v1/sessions/{self.session['id']}/stop")
        self.report.step("stopped the session")

    async def prompt(self, text: str) -> list[dict[str, Any]]:
        """A turn of the session, to its end; its events."""
        assert self.session is not None, "launched before"
        session = self.session["id"]
        await self.client.post(f"/api/v1/sessions/{session}/prompt", {"text": text})
        events: list[dict[str, Any]] = []
        async with asyncio.timeout(TURN_SECONDS):
            async for event in self.client.events(session, self.seen_events):
                events.append(event)
                if event["kind"] == "complete":
                    break
        self.seen_events = events[-1]["sequence"]
        return events

    def tell_tools(self, events: list[dict[str, Any]]) -> None:
        titles = {
            event["body"].get("tool_call_id"): event["body"].get("title")
            for event in events
            if event["kind"] == "tool_call"
        }
        for event in events:
            body = event["body"]
            if event["kind"] == "tool_update" and body.get("status") in {"complete", "error"}:
                self.report.note(f"{body['status']}: {titles.get(body.get('tool_call_id'))}")

    @property
    def worktree(self) -> Path:
        assert self.session is not None, "launched before"
        return Path(self.session["metadata"]["workspace"])

    def pushed_commit(self) -> str:
        branch = git(self.worktree, "symbolic-ref", "HEAD")
        return git(self.stage.forge.root / f"{APP}.git", "rev-parse", "--verify", "--quiet", branch)


def planted(
    command: Sequence[str], environment: Mapping[str, str] | None = None
) -> "subprocess.Popen[bytes]":
    """A process that has said that it runs: just after its start the kernel shows nothing of it."""
    process = subprocess.Popen(
        command, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert process.stdout is not None, "asked for above"
    process.stdout.readline()
    return process


def git(directory: Path, *arguments: str) -> str:
    """One line of git's, read from the outside; empty when it fails."""
    done = subprocess.run(
        ["git", *arguments],
        cwd=directory,
        env={"PATH": "/usr/local/bin:/usr/bin:/bin", "GIT_CONFIG_NOSYSTEM": "1", "HOME": "/"},
        capture_output=True,
        text=True,
        timeout=30,
        check=False,
    )
    return done.stdout.strip()
