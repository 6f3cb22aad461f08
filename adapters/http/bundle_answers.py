"""What the routes of bundles answer: a job, a problem, or bytes, all or a part of them."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import aclosing
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final, TypeAlias, TypeVar, assert_never

import msgspec
from litestar import Request, Response
from litestar.types import Receive, Scope, Send

from adapters.http.problem_details import Details, bad, conflict, missing, problem_response
from domain.access import NotFound
from domain.bundle_job import Busy, BusyReason, Gone, Job, NotReady, UnknownJob
from domain.bundle_request import InvalidRequest
from domain.byte_range import Whole, asked_span, is_current
from domain.outcome import Result, failed

__all__ = (
    "BundleProblem",
    "BundleRefusalError",
    "JobBody",
    "Ranged",
    "granted",
    "on_bundle_refusal",
)

BundleProblem: TypeAlias = InvalidRequest | Busy | UnknownJob | Gone | NotReady | NotFound

Value = TypeVar("Value")

_BUSY: Final = {
    BusyReason.IDENTITY: (429, "You have a bundle in the making."),
    BusyReason.PROCESS: (503, "Too many bundles are in the making."),
    BusyReason.DISK: (503, "The disk has no room for what would be collected."),
}


class BundleRefusalError(Exception):
    """Carries a problem from a handler to the one place that answers with it."""

    def __init__(self, problem: BundleProblem) -> None:
        super().__init__(type(problem).__name__)
        self.problem = problem


def granted(outcome: Result[Value, BundleProblem]) -> Value:
    """The value of an outcome; its problem is raised to the one place that answers with it."""
    if failed(outcome):
        raise BundleRefusalError(outcome.failure())
    return outcome.unwrap()


def on_bundle_refusal(_: Request[Any, Any, Any], error: BundleRefusalError) -> Response[Details]:
    response = problem_response(details(error.problem))
    if isinstance(error.problem, Busy):
        seconds = int(error.problem.retry_after.total_seconds())
        response.set_header("retry-after", str(seconds))
    return response


def details(problem: BundleProblem) -> Details:
    match problem:
        case InvalidRequest(fault=fault):
            text = f"The request cannot be answered: {fault.value.replace('_', ' ')}."
            return bad(fault.value, text, "Name sources, and sessions with `acp` only.")
        case Busy(reason=reason):
            status, text = _BUSY[reason]
            return Details(status, reason.value, "Busy", text, "Come again after some seconds.")
        case UnknownJob() | NotFound():
            return missing("bundle_not_found", "There is no such bundle.", "Ask for one.")
        case Gone():
            text = "The bundle has expired."
            return Details(410, "bundle_expired", "Gone", text, "Ask for another.")
        case NotReady(state=state):
            text = f"The bundle is {state.value}."
            return conflict("bundle_not_ready", text, "Ask for its state until it has ended.")
        case _:
            assert_never(problem)


class JobBody(msgspec.Struct, frozen=True):
    """A job as its owner sees it; the last five are there when the bundle is."""

    id: str
    status: str
    sources: list[str]
    session_ids: list[str]
    reused: bool
    age_seconds: float
    created_at: datetime
    build_deadline: datetime
    capture_deadline: datetime | None
    expires_at: datetime | None
    failure: str | None
    download_url: str | None
    manifest_url: str | None
    bytes: int | None
    crc32: str | None
    etag: str | None

    @classmethod
    def of(
        cls,
        job: Job,
        now: datetime,
        *,
        reused: bool = False,
        facts: tuple[int, int, str] | None = None,
    ) -> "JobBody":
        """`facts` are length, CRC and entity tag of the archive."""
        place = f"/api/v1/diagnostics/bundles/{job.id}" if facts else None
        return cls(
            id=job.id,
            status=job.state.value,
            sources=[source.value for source in job.request.sources],
            session_ids=list(job.request.sessions),
            reused=reused,
            age_seconds=round(job.age(now).total_seconds(), 3),
            created_at=job.created_at,
            build_deadline=job.build_deadline,
            capture_deadline=job.capture_deadline,
            expires_at=job.expires_at,
            failure=None if job.failure is None else job.failure.value,
            download_url=f"{place}/download" if place else None,
            manifest_url=f"{place}/manifest" if place else None,
            bytes=facts[0] if facts else None,
            crc32=f"{facts[1]:08x}" if facts else None,
            etag=facts[2] if facts else None,
        )


@dataclass(frozen=True, slots=True)
class Ranged:
    """Bytes of a known length under a strong tag, all or one span of them (RFC 9110, section 14).

    A body that ends early closes the connection: it is never filled up.
    """

    length: int
    etag: str
    headers: Mapping[str, str]
    chunks: Callable[[int, int], AsyncGenerator[bytes, None]]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        asked = {name.lower(): value.decode("latin-1") for name, value in scope["headers"]}
        if is_current(asked.get(b"if-none-match"), self.etag):
            await self._send(send, 304, {})
            return
        span = asked_span(asked.get(b"range"), asked.get(b"if-range"), self.etag, self.length)
        start, stop = 0, self.length
        if span is Whole.UNSATISFIABLE:
            empty = {"content-range": f"bytes */{self.length}", "content-length": "0"}
            await self._send(send, 416, empty)
            return
        status, extra = 200, {}
        if not isinstance(span, Whole):
            start, stop = span
            status = 206
            extra = {"content-range": f"bytes {start}-{stop - 1}/{self.length}"}
        extra["content-length"] = str(stop - start)
        if scope.get("method") == "HEAD":
            await self._send(send, status, extra)
            return
        await self._start(send, status, extra)
        async with asyncio.TaskGroup() as group:
            gone = group.create_task(_gone(receive))
            async with aclosing(self.chunks(start, stop)) as chunks:
                async for chunk in chunks:
                    if gone.done():
                        return
                    await send({"type": "http.response.body", "body": chunk, "more_body": True})
            gone.cancel()
        await send({"type": "http.response.body", "body": b"", "more_body": False})

    async def _send(self, send: Send, status: int, extra: Mapping[str, str]) -> None:
        await self._start(send, status, extra)
        await send({"type": "http.response.body", "body": b"", "more_body": False})

    async def _start(self, send: Send, status: int, extra: Mapping[str, str]) -> None:
        lasting = {
            "etag": self.etag,
            "accept-ranges": "bytes",
            "cache-control": "no-store, no-transform",
        }
        headers = {**lasting, **self.headers, **extra}
        encoded = [(name.encode(), value.encode("latin-1")) for name, value in headers.items()]
        await send({"type": "http.response.start", "status": status, "headers": encoded})


async def _gone(receive: Receive) -> None:
    """Until the client has left."""
    while (await receive())["type"] != "http.disconnect":
        pass
