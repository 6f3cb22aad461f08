"""`kandev service`: a user service of systemd that serves the home from the next login on."""

import argparse
import os
import shutil
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from adapters.agents.catalogue import Catalogue
from composition.commands.failures import reported
from composition.settings import Settings, read_settings
from composition.start_problem import Refused
from domain.outcome import failed
from domain.service_unit import ENVIRONMENT_FILE, MARK, UNIT_NAME, Service, plan

__all__ = ("main",)

TOOLS: Final = ("git", "gh", "git-lfs", "ssh", "node", "npx", "uvx")
"""What the server and its agents call, besides the agents themselves."""

NEXT: Final = (
    "systemctl --user daemon-reload",
    f"systemctl --user enable --now {UNIT_NAME}",
    "loginctl enable-linger   # to have it run while nobody is logged in",
)


def parser() -> argparse.ArgumentParser:
    made = argparse.ArgumentParser(prog="kandev service", description=__doc__)
    verbs = made.add_subparsers(dest="verb", metavar="VERB", required=True)
    install = verbs.add_parser("install", help="write the unit; nothing is started")
    install.add_argument("--dry-run", action="store_true", help="print it, and write nothing")
    return made


def main(arguments: Sequence[str]) -> int:
    chosen = parser().parse_args(arguments)
    return reported(lambda: install(os.environ, dry=chosen.dry_run))


def install(environment: Mapping[str, str], *, dry: bool) -> int:
    """Print where the unit is, or the unit itself; what it lacks goes to standard error."""
    settings = read_settings(environment)
    service = planned(settings, environment)
    if dry:
        sys.stdout.write(service.unit)
    else:
        target = units_of(environment) / UNIT_NAME
        put(target, service.unit)
        sys.stdout.write(f"{target}\n")
    sys.stderr.writelines(f"{line}\n" for line in told(service, settings.home))
    return 0


def planned(settings: Settings, environment: Mapping[str, str]) -> Service:
    command = [sys.executable, "-I", "-m", "composition.cli", "serve"]
    made = plan(command, str(settings.home), found_tools(settings.search_path), environment)
    if failed(made):
        name = made.failure().name
        detail = f"the value of {name} has a control character"
        raise Refused("service_unquotable", detail, "Set it to something else, and install again.")
    return made.unwrap()


def found_tools(path: str) -> Iterator[str]:
    """The programs that the shell finds, in the order of the names."""
    for name in TOOLS:
        if found := shutil.which(name, path=path):
            yield found
    for each in Catalogue(path).all():
        if each.program and each.agent.install:
            yield each.program


def units_of(environment: Mapping[str, str]) -> Path:
    """Where systemd looks for the user's units (systemd.unit(5))."""
    named = environment.get("XDG_CONFIG_HOME", "")
    configuration = Path(named) if named.startswith("/") else Path.home() / ".config"
    return configuration / "systemd" / "user"


def put(target: Path, unit: str) -> None:
    """Write it whole under its name; one that was written by somebody else stays."""
    try:
        if target.is_symlink() or (
            target.exists() and not target.read_text(encoding="utf-8").startswith(MARK)
        ):
            detail = f"{target} was not made by this command"
            raise Refused("unit_not_ours", detail, "Move it away, and install again.")
        target.parent.mkdir(parents=True, exist_ok=True)
        with TemporaryDirectory(dir=target.parent, prefix=f".{UNIT_NAME}.") as beside:
            written = Path(beside) / UNIT_NAME
            written.write_text(unit, encoding="utf-8")
            written.replace(target)
    except OSError as error:
        detail = f"{target} cannot be written: {error.strerror}"
        raise Refused("unit_not_written", detail, "Make the folder yours.") from None


def told(service: Service, home: Path) -> Iterator[str]:
    """How the service differs from this shell, and what to do next."""
    yield f"It finds programs in {':'.join(service.path)}"
    if service.left_out:
        yield "This shell has, and the service will not have:"
        yield from (f"  {name}" for name in service.left_out)
        yield f"What it needs of them goes into {home / ENVIRONMENT_FILE} (mode 0600), NAME=value."
    yield "Next:"
    yield from (f"  {command}" for command in NEXT)
