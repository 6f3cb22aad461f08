"""Browsers: they hear here that their log is wanted, and bring it in chunks."""

from collections.abc import AsyncIterator, Sequence
from typing import Any, Final

import msgspec
from litestar import Controller, Request, Response, get, post
from litestar.di import NamedDependency
from litestar.params import FromPath, FromQuery, JSONBody, SkipValidation
from litestar.response import Stream

from adapters.http.api import Api
from adapters.http.bundle_answers import BundleRefusalError, granted, on_bundle_refusal
from adapters.http.bundles import named, owner_of
from adapters.http.problem_details import Details, bad, problem_response
from domain.browser_capture import CHUNK_BYTES, MAX_BROWSERS, Envelope, Verdict
from domain.bundle_job import RETRY_AFTER, NotReady
from domain.identity import UserId
from domain.principal import Principal
from ports.browsers import Browsers, CaptureRequest

__all__ = ("BrowserRoutes",)

KEEP_ALIVE_SECONDS: Final = 15.0


class Upload(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    browser_id: str
    capture_stream_id: str
    chunk_index: int
    done: bool
    storage_mode: str
    entries: Any  # what is no array is refused only where it is wanted
    capture_metadata: dict[str, Any] | None = None  # the browser's own counters


class ChunkRefusedError(Exception):
    """Carries a verdict from the handler to its answer."""

    def __init__(self, verdict: Verdict) -> None:
        super().__init__(verdict.name)
        self.verdict = verdict


def on_refused(_: Request[Any, Any, Any], error: ChunkRefusedError) -> Response[Details]:
    match error.verdict:
        case Verdict.INVALID:
            text = "The chunk is not the one that comes next, or not one at all."
            return problem_response(bad("invalid_chunk", text, "Send the chunks in their order."))
        case Verdict.TOO_MANY:
            text = f"{MAX_BROWSERS} browsers are heard already."
            full = problem_response(Details(429, "browser_limit", "Busy", text, "Send no more."))
            full.set_header("retry-after", str(int(RETRY_AFTER.total_seconds())))
            return full
        case _:
            text = "The chunk is over a bound; what came before it is kept."
            return problem_response(
                Details(413, "chunk_too_large", "Too large", text, "Send no more.")
            )


class BrowserRoutes(Controller):
    path = "/api/v1/diagnostics"
    tags = ("diagnostics",)
    exception_handlers = {  # noqa: RUF012 -- Litestar reads it
        BundleRefusalError: on_bundle_refusal,
        ChunkRefusedError: on_refused,
    }

    @get("/capture-requests", media_type="text/event-stream")
    async def capture_requests(
        self,
        api: NamedDependency[Api],
        principal: NamedDependency[SkipValidation[Principal]],
        follow: FromQuery[bool] = True,
    ) -> Stream:
        """With `follow` the reader is a connected browser of its identity while it reads."""
        requests = requests_of(api.browsers, owner_of(principal), follow=follow)
        return Stream(requests, headers={"cache-control": "no-store"})

    @post("/bundles/{bundle_id:str}/frontend", status_code=204, request_max_body_size=CHUNK_BYTES)
    async def bring(
        self,
        bundle_id: FromPath[str],
        data: JSONBody[Upload],
        api: NamedDependency[Api],
        principal: NamedDependency[SkipValidation[Principal]],
    ) -> Response[None]:
        """Take a chunk (204); a tab that is not heard is told by `Kandev-Capture: ignored`."""
        owner, bundle = owner_of(principal), named(bundle_id)
        job = granted(api.bundles.job(owner, bundle))
        verdict = await api.browsers.bring(
            owner, bundle, envelope_of(data), lambda: lines(data.entries)
        )
        if verdict is None:
            raise BundleRefusalError(NotReady(job.state))
        return answer(verdict)


def envelope_of(data: Upload) -> Envelope:
    metadata = data.capture_metadata
    length = len(msgspec.json.encode(metadata)) if metadata is not None else 0
    return Envelope(
        data.browser_id,
        data.capture_stream_id,
        data.chunk_index,
        data.done,
        data.storage_mode,
        metadata,
        length,
    )


def lines(entries: object) -> Sequence[bytes] | None:
    """Each entry on a line, whatever space it came with."""
    if not isinstance(entries, list):
        return None
    return [msgspec.json.encode(each) for each in entries]


def answer(verdict: Verdict) -> Response[None]:
    match verdict:
        case Verdict.ACCEPTED:
            return Response(None)
        case Verdict.IGNORED:
            return Response(None, headers={"kandev-capture": "ignored"})
        case _:
            raise ChunkRefusedError(verdict)


async def requests_of(browsers: Browsers, owner: UserId, *, follow: bool) -> AsyncIterator[bytes]:
    with browsers.connected(owner) as connection:
        yield b": connected\n\n"
        while follow:
            asked = await connection.next(KEEP_ALIVE_SECONDS)
            yield b": still here\n\n" if asked is None else event_of(asked)


def event_of(asked: CaptureRequest) -> bytes:
    told = msgspec.json.encode({
        "bundle_id": asked.bundle,
        "capture_deadline": asked.deadline,
        "max_chunk_bytes": CHUNK_BYTES,
        "max_browser_profiles": MAX_BROWSERS,
    })
    return b"event: capture_requested\ndata: %s\n\n" % told
