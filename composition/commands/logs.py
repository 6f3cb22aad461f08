"""`kandev logs`: a diagnostic bundle of the server that runs here, as a file.

The token comes from `KANDEV_API_TOKEN` and from nowhere else; without it none is sent.
"""

import argparse
import json
import os
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, Final, Self
from urllib.parse import quote

import httpx2

from composition.bundle_file import (
    Partial,
    arriving,
    forget,
    note,
    noted,
    resumable,
    verified,
)
from composition.settings import DEFAULT_PORT

__all__ = ("main",)

EXIT_FAILED: Final = 1
EXIT_USAGE: Final = 2
EXIT_PARTIAL: Final = 3
EXIT_BUSY: Final = 4
EXIT_AUTH: Final = 5

WAIT_SECONDS: Final = 300.0
"""How long a bundle is waited for, and with `--wait` a busy server."""

POLL_SECONDS: Final = 0.25
BUNDLES: Final = "/api/v1/diagnostics/bundles"
SOURCES: Final = {
    "backend": ["backend"],
    "frontend": ["frontend"],
    "runtime": ["runtime"],
    "all": ["backend", "frontend"],
}
EPILOG: Final = """\
The token is read from the environment variable KANDEV_API_TOKEN; without it none is sent.

exit codes:
  0  the bundle is there (ready, or partial without --strict)
  1  it is not: no server, a failed bundle, a broken download or a wrong archive
  2  a wrong command line
  3  it is there but partial, with --strict
  4  the server is busy (429 or 503); --wait comes again when it says
  5  the server wants another KANDEV_API_TOKEN
"""

Json = dict[str, Any]  # what the server answers, read by key


class Ended(Exception):  # noqa: N818 -- says how the command ends
    """The command ends with a code, and words on standard error."""

    def __init__(self, code: int, words: str) -> None:
        super().__init__(words)
        self.code = code


def parser() -> argparse.ArgumentParser:
    made = argparse.ArgumentParser(
        prog="kandev logs",
        description="Fetch a diagnostic bundle from the server on this machine.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    made.add_argument("--source", choices=SOURCES, default="backend", help="default: backend")
    made.add_argument("--output", metavar="FILE", type=Path, help="where to write it")
    made.add_argument("--port", type=port_number, help="default: KANDEV_PORT, else 38429")
    made.add_argument("--json", action="store_true", help="say the outcome as JSON")
    what = made.add_mutually_exclusive_group()
    what.add_argument("--manifest", action="store_true", help="print the manifest, fetch no more")
    what.add_argument("--entry", metavar="NAME", help="fetch one entry without the archive")
    what.add_argument(
        "--resume", action="store_true", help="go on where it broke off; keep what came if it does"
    )
    made.add_argument("--verify", action="store_true", help="check every byte before it is kept")
    made.add_argument("--strict", action="store_true", help="exit 3 when the bundle is partial")
    made.add_argument("--wait", action="store_true", help="wait for a server that is busy")
    return made


def port_number(text: str) -> int:
    if not (text.isascii() and text.isdigit() and 0 < int(text) < 65536):
        raise argparse.ArgumentTypeError("a port is a number from 1 to 65535")
    return int(text)


def authorization(token: str | None) -> dict[str, str]:
    if not token:
        return {}
    if not (token.isascii() and token.isprintable()):
        raise Ended(EXIT_AUTH, "KANDEV_API_TOKEN has characters that no token has")
    return {"authorization": f"Bearer {token}"}


def main(arguments: Sequence[str]) -> int:
    chosen = parser().parse_args(arguments)
    if chosen.verify and (chosen.entry is not None or chosen.manifest):
        parser().error("--verify is for the archive")
    if chosen.resume and chosen.output is None:
        parser().error("--resume needs --output: the name of what to go on with")
    try:
        port = chosen.port or port_number(os.environ.get("KANDEV_PORT") or str(DEFAULT_PORT))
        headers = authorization(os.environ.get("KANDEV_API_TOKEN"))
        return fetched(chosen, port, headers)
    except Ended as ended:
        return told(str(ended), ended.code)
    except argparse.ArgumentTypeError as error:
        return told(f"KANDEV_PORT: {error}", EXIT_USAGE)
    except (ValueError, KeyError):
        return told("the server is not Kandev", EXIT_FAILED)
    except httpx2.HTTPError as error:
        return told(f"the server cannot be reached: {type(error).__name__}", EXIT_FAILED)
    except OSError as error:
        return told(f"the file cannot be written: {error.strerror}", EXIT_FAILED)
    except KeyboardInterrupt:
        return told("interrupted", 130)


def fetched(chosen: argparse.Namespace, port: int, headers: Mapping[str, str]) -> int:
    try:
        with httpx2.Client(
            base_url=f"http://127.0.0.1:{port}", headers=headers, timeout=30, trust_env=False
        ) as http:
            return Logs(http, chosen, time.monotonic() + WAIT_SECONDS).run()
    except httpx2.ConnectError:
        text = f"no server answers on port {port}: name the port of one with --port"
        raise Ended(EXIT_FAILED, f"{text}, or start one with `kandev serve`") from None


@dataclass(frozen=True, slots=True)
class Logs:
    """One run of the command."""

    http: httpx2.Client
    chosen: argparse.Namespace
    deadline: float

    def run(self) -> int:
        job = self._finished()
        place = f"{BUNDLES}/{job['id']}"
        if self.chosen.manifest:
            sys.stdout.write(self._ask("GET", f"{place}/manifest").text)
        elif self.chosen.entry is not None:
            name = self.chosen.entry
            target = self.chosen.output or Path(Path(name).name)
            with arriving(target) as file:
                self._receive(file, f"{place}/entries/{quote(name)}", None)
            self._say(job, target)
        else:
            target = self.chosen.output or Path(f"kandev-diagnostic-{job['id']}.zip")
            self._archive(job, target)
            self._say(job, target)
        return EXIT_PARTIAL if self.chosen.strict and job["status"] == "partial" else 0

    def _finished(self) -> Json:
        """The bundle that is asked for, or with `--resume` the one of which a part is here."""
        job = self._begun() or self._started()
        while job["status"] in {"collecting", "building"}:
            if time.monotonic() > self.deadline:
                raise Ended(EXIT_FAILED, "the bundle was not finished in time")
            time.sleep(POLL_SECONDS)
            job = self._ask("GET", f"{BUNDLES}/{job['id']}").json()
        if job["status"] not in {"ready", "partial"}:
            raise Ended(EXIT_FAILED, f"the bundle is {job['status']}: {job['failure']}")
        return job

    def _begun(self) -> Json | None:
        if not self.chosen.resume or self.chosen.output is None:
            return None
        partial = noted(self.chosen.output)
        if partial is None:
            return None
        answer = self.http.get(f"{BUNDLES}/{partial.bundle}")
        job: Json = answer.json() if answer.status_code == 200 else {}
        return job if job.get("etag") == partial.etag else None

    def _started(self) -> Json:
        body = {"sources": SOURCES[self.chosen.source]}
        job: Json = self._ask("POST", BUNDLES, body).json()
        return job

    def _archive(self, job: Json, target: Path) -> None:
        keep = resumable if self.chosen.resume else arriving
        if self.chosen.resume:
            partial = Partial(job["id"], job["etag"])
            if noted(target) != partial:
                note(target, partial)
        with keep(target) as file:
            self._receive(file, job["download_url"], job["etag"])
            if file.tell() != job["bytes"]:
                raise Ended(EXIT_FAILED, "the archive is not as long as was said")
            crc = int(job["crc32"], 16)
            if self.chosen.verify and not verified(file, job["bytes"], crc):
                forget(target)
                raise Ended(EXIT_FAILED, "the archive is not what was said; nothing is kept")

    def _receive(self, file: BinaryIO, path: str, etag: str | None) -> None:
        """Append what is not in the file yet."""
        offset = file.tell()
        asked = {"range": f"bytes={offset}-", "if-range": str(etag)} if offset else {}
        with self.http.stream("GET", path, headers=asked) as answer:
            if answer.status_code == 416:
                return
            if answer.status_code >= 400:
                answer.read()
                refuse(answer)
            if answer.status_code == 200:
                file.seek(0)
                file.truncate()
            length = file.tell() + int(answer.headers.get("content-length", "0"))
            with Progress(length, shown=sys.stderr.isatty() and not self.chosen.json) as progress:
                for chunk in answer.iter_raw():
                    file.write(chunk)
                    progress.at(file.tell())

    def _say(self, job: Json, target: Path) -> None:
        path = str(target.absolute())
        outcome = {**job, "path": path, "bytes_written": target.stat().st_size}
        sys.stdout.write((json.dumps(outcome) if self.chosen.json else path) + "\n")

    def _ask(
        self, method: str, path: str, body: Mapping[str, object] | None = None
    ) -> Any:  # as httpx2 types it
        while True:
            answer = self.http.request(method, path, json=body)
            if answer.status_code < 400:
                return answer
            seconds = float(answer.headers.get("retry-after", "5"))
            busy = answer.status_code in {429, 503}
            if not (busy and self.chosen.wait and time.monotonic() + seconds < self.deadline):
                refuse(answer)
            time.sleep(seconds)


class Progress:
    """A bar on standard error, gone when it is full."""

    def __init__(self, length: int, *, shown: bool) -> None:
        self._length = max(1, length)
        self._shown = shown

    def __enter__(self) -> Self:
        return self

    def at(self, size: int) -> None:
        if self._shown:
            share = min(1.0, size / self._length)
            bar = "#" * int(30 * share)
            sys.stderr.write(f"\r[{bar:30}] {share:4.0%} {size / 2**20:7.1f} MiB")
            sys.stderr.flush()

    def __exit__(self, *_: object) -> None:
        if self._shown:
            sys.stderr.write("\r\x1b[K")


def refuse(answer: httpx2.Response) -> None:
    """End with what the server said."""
    try:
        said = str(answer.json().get("detail", ""))
    except ValueError:
        said = "the server is not Kandev"
    match answer.status_code:
        case 401 | 403:
            raise Ended(EXIT_AUTH, f"{said} Set KANDEV_API_TOKEN to the token of the server.")
        case 429 | 503:
            seconds = answer.headers.get("retry-after", "5")
            raise Ended(EXIT_BUSY, f"{said} Come again in {seconds} seconds, or use --wait.")
        case status:
            raise Ended(EXIT_FAILED, f"{said} [{status}]")


def told(words: str, code: int) -> int:
    sys.stderr.write(f"kandev logs: {words}\n")
    return code
