"""The place of a bundle is ours alone, and only what is ours is removed from it."""

from datetime import UTC, datetime, timedelta

import pytest

from domain.bundle_path import (
    FOLDER,
    IGNORE_NAME,
    IGNORE_TEXT,
    RETENTION,
    STAGE_RETENTION,
    BundleId,
    Found,
    InvalidBundleId,
    file_name,
    is_ours,
    outdated,
    parse_id,
    segments,
    stage_name,
)
from domain.outcome import Failure, Success
from tests.requirements import requirement

NOON = datetime(2026, 7, 29, 12, tzinfo=UTC)
ID = "0123456789abcdef"
STAGE = f".upload-{ID}.tmp"


@requirement("bundle:place:path")
def test_a_bundle_lies_in_the_folder_of_bundles() -> None:
    assert segments(BundleId(ID)) == (".kandev", "diagnostics", f"{ID}.zip")
    assert (IGNORE_NAME, IGNORE_TEXT) == (".gitignore", "*\n")


@requirement("bundle:place:path")
@pytest.mark.parametrize("text", [ID, ID * 2, ID * 4])
def test_an_id_of_sixteen_to_sixty_four_digits_names_a_bundle(text: str) -> None:
    assert parse_id(text) == Success(text)


@requirement("bundle:place:path")
@pytest.mark.parametrize(
    "text",
    [
        "",
        ID[:-1],
        ID * 4 + "0",
        ID.upper(),
        "0123456789abcdeg",
        "..%2Fescape",
        "../../../../escape",
        f"{ID}\n",
        "٠١٢٣٤٥٦٧٨٩abcdef",
    ],
)
def test_anything_else_names_none(text: str) -> None:
    assert parse_id(text) == Failure(InvalidBundleId())
    assert not is_ours(f"{text}.zip")


@requirement("bundle:place:ours")
@pytest.mark.parametrize("name", [file_name(BundleId(ID)), stage_name(ID)])
def test_names_that_we_make_are_ours(name: str) -> None:
    assert is_ours(name)


@requirement("bundle:place:ours")
@pytest.mark.parametrize(
    "name",
    [
        "notes.txt",
        ".gitignore",
        f"{ID}.zip.bak",
        f"{ID}.ZIP",
        ".upload-x.tmp",
        f"x{STAGE}",
        *FOLDER,
    ],
)
def test_other_names_are_not(name: str) -> None:
    assert not is_ours(name)


@pytest.mark.parametrize("digits", ["", ID[:-1], ID.upper(), "../../../../../.."])
def test_a_stage_is_named_by_digits_alone(digits: str) -> None:
    with pytest.raises(ValueError, match="digits"):
        stage_name(digits)


@requirement("bundle:place:retention")
def test_bundles_go_after_a_day_and_stages_after_an_hour() -> None:
    second = timedelta(seconds=1)
    young = [
        Found(f"{ID}.zip", NOON - RETENTION + second),
        Found(STAGE, NOON - STAGE_RETENTION + second),
        Found("notes.txt", NOON - 2 * RETENTION),
        Found("old.zip", NOON - 2 * RETENTION),
    ]
    old = [Found(f"{ID * 2}.zip", NOON - RETENTION), Found(stage_name(ID), NOON - STAGE_RETENTION)]

    assert outdated([*young, *old], NOON) == (f"{ID * 2}.zip", STAGE)
    assert timedelta(hours=24) == RETENTION
