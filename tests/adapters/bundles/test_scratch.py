"""Room for what has to be written to be collected."""

from pathlib import Path

from adapters.bundles.scratch import HomeScratch
from tests.requirements import requirement


@requirement("bundle:job:disk")
def test_a_disk_that_cannot_be_asked_has_no_room(tmp_path: Path) -> None:
    assert HomeScratch(tmp_path).free_bytes() > 0
    assert HomeScratch(tmp_path / "gone").free_bytes() == 0
