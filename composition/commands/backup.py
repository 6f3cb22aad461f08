"""`kandev backup`: copies of the database, made, listed, checked, and put back."""

import argparse
import json
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from adapters.home.layout import Home
from adapters.home.private_file import OwnedFile
from adapters.secrets.keyring import unlock
from adapters.sqlite.archive import Sound, create, listed, verify
from adapters.sqlite.restore import restore
from adapters.sqlite.upgrade import known_migrations
from adapters.system.clock import SystemClock
from adapters.system.ids import SystemIds
from composition import backup_sentences
from composition.commands.failures import reported
from composition.holding import held_home, home_of
from composition.settings import VERSION, Settings, read_settings
from domain.outcome import failed
from domain.upgrade import Program

__all__ = ("main",)

MEBIBYTE: Final = 1024**2


def parser() -> argparse.ArgumentParser:
    made = argparse.ArgumentParser(prog="kandev backup", description=__doc__)
    verbs = made.add_subparsers(dest="verb", metavar="VERB", required=True)
    verbs.add_parser("create", help="copy the database now, also while a server runs")
    listing = verbs.add_parser("list", help="the backups, the newest first")
    listing.add_argument("--json", action="store_true", help="one JSON array")
    for verb, what in (
        ("verify", "say whether a backup is sound and can be restored"),
        ("restore", "put a backup in the place of the database, which is kept"),
    ):
        named = verbs.add_parser(verb, help=what)
        named.add_argument("name", help="a name that `kandev backup list` shows")
    return made


def main(arguments: Sequence[str]) -> int:
    chosen = parser().parse_args(arguments)

    def command() -> int:
        settings = read_settings(os.environ)
        if settings.database is not None:
            raise backup_sentences.not_a_file()
        match chosen.verb:
            case "create":
                return make(home_of(settings))
            case "list":
                return show(home_of(settings), as_json=chosen.json)
            case "verify":
                return check(home_of(settings), chosen.name)
            case _:
                return put_back(settings, chosen.name)

    return reported(command)


def make(home: Home) -> int:
    """Print where the copy is."""
    made = create(home.database, home.backups, SystemClock().now())
    if failed(made):
        raise backup_sentences.not_made(made.failure())
    sys.stdout.write(f"{made.unwrap()}\n")
    sys.stderr.write(f"{home.secret_key.name} is not in it: keep that file too.\n")
    return 0


def show(home: Home, *, as_json: bool) -> int:
    found = listed(home.backups)
    if as_json:
        rows = [
            {
                "name": each.name,
                "origin": each.origin.value,
                "bytes": each.size,
                "modified": each.modified.isoformat(),
            }
            for each in found
        ]
        sys.stdout.write(json.dumps(rows) + "\n")
    else:
        for each in found:
            size = f"{each.size / MEBIBYTE:.1f} MiB"
            when = f"{each.modified:%Y-%m-%d %H:%M:%S} UTC"
            sys.stdout.write(f"{each.name}  {each.origin.value}  {size}  {when}\n")
    return 0


def check(home: Home, name: str) -> int:
    sound = verified(home, name)
    sys.stdout.write(f"{name} is sound; version {sound.version or 'unknown'} wrote it\n")
    return 0


def put_back(settings: Settings, name: str) -> int:
    """Print where the database that was replaced is kept."""
    with held_home(settings) as (home, _):
        sound = verified(home, name)
        restored = restore(sound, home.database, home.backups, SystemClock().now())
        if failed(restored):
            raise backup_sentences.not_restored(restored.failure())
        kept: Path | None = restored.unwrap()
    if kept is not None:
        sys.stdout.write(f"{kept}\n")
        sys.stderr.write("The database from before is kept there.\n")
    sys.stderr.write(f"{name} is restored; `kandev serve` starts on it.\n")
    return 0


def verified(home: Home, name: str) -> Sound:
    """The backup, when it is sound and the home's key opens what is sealed in it."""
    found = verify(home.backups, name, Program(VERSION, known_migrations()))
    if failed(found):
        raise backup_sentences.not_sound(found.failure())
    sound = found.unwrap()
    if sound.sealed:
        ids = SystemIds(SystemClock())
        unlocked = unlock(OwnedFile(home.secret_key), ids, sound.sealed)
        if failed(unlocked):
            raise backup_sentences.key_does_not_open(unlocked.failure())
    return sound
