"""`kandev service install`: what it writes, where, and what it leaves alone."""

from pathlib import Path

import pytest

from composition.commands.user_service import install
from composition.start_problem import Refused
from domain.service_unit import MARK
from tests.requirements import requirement


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    tools = tmp_path / "tools"
    tools.mkdir()
    for name in ("git", "node"):
        (tools / name).touch(mode=0o755)
    return {
        "KANDEV_HOME": str(tmp_path / "home"),
        "XDG_CONFIG_HOME": str(tmp_path / "config"),
        "PATH": str(tools),
        "KANDEV_API_TOKEN": "kdt_secret",
    }


@pytest.fixture
def unit(tmp_path: Path) -> Path:
    return tmp_path / "config" / "systemd" / "user" / "kandev.service"


@requirement("service:unit")
@requirement("service:no-secret")
def test_the_unit_is_written_where_systemd_looks_and_its_lacks_are_told(
    environment: dict[str, str], unit: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert install(environment, dry=False) == 0

    out, said = capsys.readouterr()
    text = unit.read_text(encoding="utf-8")
    assert out == f"{unit}\n"
    assert f'"PATH={tmp_path / "tools"}:' in text
    assert "kdt_secret" not in text + said
    assert "  KANDEV_API_TOKEN\n" in said
    assert "systemctl --user enable --now kandev.service" in said
    assert list(unit.parent.iterdir()) == [unit]
    assert install(environment, dry=False) == 0
    assert unit.read_text(encoding="utf-8") == text


@requirement("service:unit")
def test_a_dry_run_prints_what_would_be_written_and_writes_nothing(
    environment: dict[str, str], unit: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = sorted(tmp_path.iterdir())
    install(environment, dry=True)
    printed = capsys.readouterr().out

    assert sorted(tmp_path.iterdir()) == before
    install(environment, dry=False)
    assert unit.read_text(encoding="utf-8") == printed


@requirement("service:others")
@pytest.mark.parametrize("link", [False, True])
def test_a_unit_of_somebody_else_stays(
    environment: dict[str, str], unit: Path, tmp_path: Path, *, link: bool
) -> None:
    unit.parent.mkdir(parents=True)
    theirs = tmp_path / "theirs" if link else unit
    theirs.write_text(MARK if link else "[Unit]\n", encoding="utf-8")
    if link:
        unit.symlink_to(theirs)
    before = theirs.read_bytes()

    with pytest.raises(Refused) as refused:
        install(environment, dry=False)

    assert refused.value.code == "unit_not_ours"
    assert theirs.read_bytes() == before


def test_a_folder_that_cannot_be_made_is_told(environment: dict[str, str], tmp_path: Path) -> None:
    (tmp_path / "config").write_bytes(b"in the way")

    with pytest.raises(Refused) as refused:
        install(environment, dry=False)

    assert refused.value.code == "unit_not_written"
