"""Routes of diagnostic bundles: ask for one, watch it, and read all or a part of it."""

from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Final

import msgspec
from litestar import Controller, Response, get, post, route
from litestar.di import NamedDependency
from litestar.enums import HttpMethod
from litestar.params import FromPath, JSONBody, SkipValidation
from litestar.types import ASGIApp

from adapters.http.api import Api
from adapters.http.bundle_answers import (
    BundleRefusalError,
    JobBody,
    Ranged,
    granted,
    on_bundle_refusal,
)
from domain import bundle_request
from domain.access import NotFound
from domain.audit import Deed
from domain.bundle_job import Job, UnknownJob
from domain.bundle_path import BundleId
from domain.identity import UserId
from domain.outcome import failed
from domain.principal import Principal, Token, User
from ports.bundles import Bundle

__all__ = ("BundleRoutes",)

REQUEST_BYTES: Final = 8 * 1024
"""The largest body of a request for a bundle."""

FILE_NAME: Final = "kandev-diagnostic-logs.zip"


class NewBundle(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    sources: list[str]
    session_ids: list[str] = msgspec.field(default_factory=list)


class BundleRoutes(Controller):
    path = "/api/v1/diagnostics/bundles"
    tags = ("diagnostics",)
    exception_handlers = {BundleRefusalError: on_bundle_refusal}  # noqa: RUF012 -- Litestar reads it

    @post(request_max_body_size=REQUEST_BYTES)
    async def create(
        self,
        data: JSONBody[NewBundle],
        api: NamedDependency[Api],
        principal: NamedDependency[SkipValidation[Principal]],
    ) -> Response[JobBody]:
        """Start a job (201), or give the one that answers the same (200)."""
        owner = owner_of(principal)
        request = granted(bundle_request.parse(data.sources, data.session_ids))
        admitted = granted(api.bundles.request(owner, request))
        if not admitted.reused:
            await api.audit.exported(principal, Deed.BUNDLE_ASKED, admitted.job.id)
        body = shown(api, owner, admitted.job, reused=admitted.reused)
        return Response(body, status_code=200 if admitted.reused else 201)

    @get("/{bundle_id:str}")
    async def state(
        self,
        bundle_id: FromPath[str],
        api: NamedDependency[Api],
        principal: NamedDependency[SkipValidation[Principal]],
    ) -> JobBody:
        owner = owner_of(principal)
        job = granted(api.bundles.job(owner, named(bundle_id)))
        return shown(api, owner, job)

    @get("/{bundle_id:str}/manifest")
    async def manifest(
        self,
        bundle_id: FromPath[str],
        api: NamedDependency[Api],
        principal: NamedDependency[SkipValidation[Principal]],
    ) -> Response[bytes]:
        """What is in the bundle, and what is not."""
        bundle = granted(api.bundles.bundle(owner_of(principal), named(bundle_id)))
        return Response(bundle.manifest, media_type="application/json")

    @route("/{bundle_id:str}/download", http_method=[HttpMethod.GET, HttpMethod.HEAD])
    async def download(
        self,
        bundle_id: FromPath[str],
        api: NamedDependency[Api],
        principal: NamedDependency[SkipValidation[Principal]],
    ) -> ASGIApp:
        """The archive; `Range` and `If-Range` give one span of it."""
        bundle = granted(api.bundles.bundle(owner_of(principal), named(bundle_id)))
        headers = {
            "content-type": "application/zip",
            "content-disposition": f'attachment; filename="{FILE_NAME}"',
        }
        archive = bundle.archive
        return Ranged(archive.length, archive.etag, headers, bundle.chunks)

    @route("/{bundle_id:str}/entries/{name:path}", http_method=[HttpMethod.GET, HttpMethod.HEAD])
    async def entry(
        self,
        bundle_id: FromPath[str],
        name: FromPath[str],
        api: NamedDependency[Api],
        principal: NamedDependency[SkipValidation[Principal]],
    ) -> ASGIApp:
        """One entry without the archive around it."""
        bundle = granted(api.bundles.bundle(owner_of(principal), named(bundle_id)))
        return entry_of(bundle, str(name).removeprefix("/"))


def owner_of(principal: Principal) -> UserId:
    """Who a bundle belongs to; an agent has none here, nor has a token with limits."""
    match principal:
        case User(id=user) | Token(user=user, workspaces=None):
            return user
        case _:
            raise BundleRefusalError(NotFound("bundle"))


def named(text: str) -> BundleId:
    """An id that cannot be one belongs to no job."""
    return BundleId(text)


def shown(api: Api, owner: UserId, job: Job, *, reused: bool = False) -> JobBody:
    found = api.bundles.bundle(owner, job.id)
    facts = None
    if not failed(found):
        archive = found.unwrap().archive
        facts = (archive.length, archive.crc32, archive.etag)
    return JobBody.of(job, api.clock.now(), reused=reused, facts=facts)


def entry_of(bundle: Bundle, name: str) -> Ranged:
    archive = bundle.archive
    names = [entry.name for entry in archive.entries]
    if name not in names:
        raise BundleRefusalError(UnknownJob())
    index = names.index(name)
    begin, entry = archive.starts[2 * index + 1], archive.entries[index]

    async def chunks(start: int, stop: int) -> AsyncGenerator[bytes, None]:
        async with aclosing(bundle.chunks(begin + start, begin + stop)) as parts:
            async for part in parts:
                yield part

    tag = f'"{archive.etag.strip(chr(34))}-{index}"'
    return Ranged(entry.size, tag, {"content-type": "application/octet-stream"}, chunks)
