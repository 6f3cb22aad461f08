"""From a manifest to an archive: manifest first, evidence in its order, held to the cap."""

import zlib
from dataclasses import dataclass
from typing import TypeAlias

from domain import zip_layout
from domain.bundle import ARCHIVE_BYTES, MANIFEST_NAME
from domain.bundle_manifest import Manifest
from domain.outcome import Failure, Result, Success, failed
from domain.zip_layout import ArchivePlan, StoredEntry, Unplannable

__all__ = ("BundlePlan", "OverCap", "UnplannableBundle", "plan")


@dataclass(frozen=True, slots=True)
class OverCap:
    """The archive would have more bytes than `ARCHIVE_BYTES`, which is a fault of a source."""

    length: int


UnplannableBundle: TypeAlias = OverCap | Unplannable


@dataclass(frozen=True, slots=True)
class BundlePlan:
    """Entry 0 of the archive is `manifest`; entry n is the evidence n - 1 of the manifest."""

    manifest: bytes
    archive: ArchivePlan


def plan(manifest: Manifest, cap: int = ARCHIVE_BYTES) -> Result[BundlePlan, UnplannableBundle]:
    """Lay the bundle out; the same manifest gives the same bytes."""
    encoded = manifest.encode()
    first = StoredEntry(MANIFEST_NAME, len(encoded), zlib.crc32(encoded), manifest.created_at)
    evidence = (
        StoredEntry(entry.name, entry.length, entry.crc32, entry.modified)
        for entry in manifest.evidence
    )
    laid_out = zip_layout.plan((first, *evidence))
    if failed(laid_out):
        return laid_out
    archive = laid_out.unwrap()
    if archive.length > cap:
        return Failure(OverCap(archive.length))
    return Success(BundlePlan(encoded, archive))
