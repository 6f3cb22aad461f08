"""What a person reads when a backup cannot be made, trusted or restored."""

from typing import assert_never

from adapters.secrets.keyring import KeyProblem
from adapters.sqlite.archive import BackupDamaged, BackupProblem, NoDatabase, UnknownBackup
from adapters.sqlite.backup import BackupFailed
from adapters.sqlite.restore import RestoreFailed
from composition import start_sentences
from composition.start_problem import Refused
from domain.upgrade import AlteredMigration, NewerDatabase

__all__ = ("key_does_not_open", "not_a_file", "not_made", "not_restored", "not_sound")


def not_a_file() -> Refused:
    detail = "the database is PostgreSQL's, whose backups are not made here"
    return Refused(
        "database_is_postgresql", detail, "Use pg_dump, and pg_restore to bring it back."
    )


def key_does_not_open(problem: KeyProblem) -> Refused:
    told = start_sentences.keys(problem)
    remedy = "Bring back the key file that belongs to the backup."
    return Refused(told.code, told.detail, remedy)


def not_made(problem: BackupFailed | NoDatabase) -> Refused:
    match problem:
        case NoDatabase(path=path):
            detail = f"{path} does not exist: there is nothing to copy"
            return Refused("no_database", detail, "Start a server once, or set KANDEV_HOME.")
        case BackupFailed(directory=directory, fault=fault):
            detail = f"the database could not be copied into {directory}: {fault.value}"
            return Refused("backup_failed", detail, "Look at the folder, and at its free space.")
        case _:
            assert_never(problem)


def not_sound(problem: BackupProblem) -> Refused:
    match problem:
        case UnknownBackup(name=name):
            detail = f"there is no backup {name!r}"
            return Refused("unknown_backup", detail, "`kandev backup list` shows their names.")
        case BackupDamaged(name=name):
            detail = f"{name} is damaged, or no database of Kandev"
            return Refused("backup_damaged", detail, "Use another backup.")
        case NewerDatabase() | AlteredMigration():
            told = start_sentences.store(problem)
            return Refused(told.code, told.detail, "Restore it with the version that made it.")
        case _:
            assert_never(problem)


def not_restored(problem: BackupFailed | RestoreFailed) -> Refused:
    match problem:
        case BackupFailed():
            return not_made(problem)
        case RestoreFailed(database=database, fault=fault):
            detail = f"{database} could not be replaced and is as it was: {fault.value}"
            return Refused("restore_failed", detail, "End what uses the file, or free space.")
        case _:
            assert_never(problem)
