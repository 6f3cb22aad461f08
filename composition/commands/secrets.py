"""`kandev secrets`: a new key for the stored secrets, and old keys out of the key file.

Old keys stay as long as something needs them: a stored secret, a backup in the home, an agent that
runs on.
"""

import argparse
import asyncio
import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass

from adapters.home.layout import Home
from adapters.home.private_file import OwnedFile
from adapters.secrets.envelope import key_id_of
from adapters.secrets.keyring import name_of, read_masters
from adapters.secrets.rotation import add_key, forget_keys
from adapters.secrets.vault import AesVault
from adapters.sqlite.archive import listed, sealed_of
from adapters.system.clock import SystemClock
from adapters.system.ids import SystemIds
from composition import secret_sentences
from composition.commands.failures import reported
from composition.holding import held_home, keys, opened
from composition.settings import Settings, read_settings
from domain.execution import ExecutionState
from domain.outcome import failed
from pipelines.reseal_secrets import ResealSecrets
from ports.store import Store

__all__ = ("main",)


@dataclass(frozen=True, slots=True)
class Needed:
    """The names of the keys that something needs, and why each is not only the database's."""

    names: frozenset[bytes]
    reasons: Sequence[str]


def parser() -> argparse.ArgumentParser:
    made = argparse.ArgumentParser(prog="kandev secrets", description=__doc__)
    verbs = made.add_subparsers(dest="verb", metavar="VERB", required=True)
    for verb, what in (
        ("rotate", "seal every stored secret with a new key"),
        ("prune", "forget the old keys that nothing needs any more"),
    ):
        made_verb = verbs.add_parser(verb, help=what)
        made_verb.add_argument(
            "--give-up-backups",
            action="store_true",
            help="forget also the keys that only backups need; those backups are lost",
        )
    return made


def main(arguments: Sequence[str]) -> int:
    chosen = parser().parse_args(arguments)
    settings = read_settings(os.environ)
    return reported(
        lambda: asyncio.run(
            change(settings, rotating=chosen.verb == "rotate", keeping=not chosen.give_up_backups)
        )
    )


async def change(settings: Settings, *, rotating: bool, keeping: bool) -> int:
    """Rotate or only prune, in a home that no server holds meanwhile."""
    with held_home(settings) as (home, _):
        async with opened(settings, home) as store:
            if rotating:
                count = await rotate(home, store, keeping=keeping)
                sys.stdout.write(f"{count} secrets are sealed with the new key\n")
            else:
                await keys(home, store)
            forgotten, reasons = await prune(home, store, keeping=keeping)
            sys.stdout.write(f"{forgotten} old keys are forgotten\n")
            for reason in reasons:
                sys.stdout.write(f"an old key is kept for {reason}\n")
    return 0


async def rotate(home: Home, store: Store, *, keeping: bool) -> int:
    """Finish a rotation that was interrupted, or begin one; how many secrets were sealed anew."""
    ids = SystemIds(SystemClock())
    file = OwnedFile(home.secret_key)
    keyring = await keys(home, store)
    if await ResealSecrets(store, AesVault(keyring, ids)).is_done():
        await prune(home, store, keeping=keeping)
        added = add_key(file, ids)
        if failed(added):
            raise secret_sentences.not_rotated(added.failure())
        keyring = added.unwrap()
    resealed = await ResealSecrets(store, AesVault(keyring, ids))()
    if failed(resealed):
        raise secret_sentences.unsealable(resealed.failure())
    return resealed.unwrap()


async def prune(home: Home, store: Store, *, keeping: bool) -> tuple[int, Sequence[str]]:
    """How many keys were forgotten, and what the others are kept for."""
    file = OwnedFile(home.secret_key)
    found = read_masters(file)
    if failed(found):
        raise secret_sentences.not_rotated(found.failure())
    names = [name_of(each) for each in found.unwrap()]
    needs = await needed(home, store, names, keeping=keeping)
    forgotten = forget_keys(file, needs.names)
    if failed(forgotten):
        raise secret_sentences.not_rotated(forgotten.failure())
    return forgotten.unwrap(), needs.reasons


async def needed(home: Home, store: Store, names: Sequence[bytes], *, keeping: bool) -> Needed:
    """What needs which of the keys of these names, the newest first."""
    async with store.read() as state:
        used = {key_id_of(each) for each in await state.sealed_values()}
        running = await state.executions_in([ExecutionState.STARTING, ExecutionState.LIVE])
    reasons = []
    old = set(names[1:])
    if running and old:
        used |= old
        reasons.append(f"{len(running)} agents that run: their capabilities are sealed with it")
    for backup in listed(home.backups) if keeping and old else ():
        sealed = sealed_of(home.backups / backup.name)
        needs = old if sealed is None else {key_id_of(each) for each in sealed} & old
        if needs:
            used |= needs
            reasons.append(f"the backup {backup.name}")
    return Needed(frozenset(used), reasons)
