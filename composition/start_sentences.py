"""What a person reads when the server cannot start: one sentence a problem, and what to do."""

from typing import assert_never

from adapters.agents.named import MalformedAgents
from adapters.home.api_token import MalformedToken
from adapters.home.layout import HomeFault, HomeProblem
from adapters.home.lock import HomeHeld
from adapters.home.sockets import SocketPathTooLong
from adapters.secrets.keyring import KeyMissing, KeyProblem, KeyUnknown, KeyUnusable
from adapters.sqlite.backup import BackupFailed
from adapters.sqlite.upgrade import DatabaseHeld, MigrationFailed, OpenProblem, Unusable
from composition.start_problem import CannotStart
from domain.upgrade import AlteredMigration, NewerDatabase
from ports.private_file import PrivateFileProblem
from ports.store import StoreFault

__all__ = ("agents", "held", "home", "keys", "sockets", "store", "token")

_HOME = {
    HomeFault.NOT_ABSOLUTE: ("is not an absolute path", "Set KANDEV_HOME to an absolute path."),
    HomeFault.NOT_A_DIRECTORY: ("is not a directory", "Remove it, or set KANDEV_HOME elsewhere."),
    HomeFault.NOT_OURS: ("belongs to another user", "Set KANDEV_HOME to a directory of yours."),
    HomeFault.NOT_WRITABLE: (
        "cannot be written",
        "Make it writable, or set KANDEV_HOME elsewhere.",
    ),
    HomeFault.DISK_FULL: ("is on a full disk", "Free some space."),
}


def home(problem: HomeProblem) -> CannotStart:
    what, remedy = _HOME[problem.fault]
    return CannotStart(problem.fault.value, f"{problem.path} {what}", remedy)


def held(problem: HomeHeld | HomeProblem) -> CannotStart:
    match problem:
        case HomeHeld(home=path, pid=pid, address=address):
            where = f" at {address}" if address else ""
            who = f"process {pid}" if pid else "another server"
            detail = f"{path} is in use by {who}{where}"
            return CannotStart("home_in_use", detail, "Use that server, or stop it first.")
        case HomeProblem():
            return home(problem)
        case _:
            assert_never(problem)


def agents(problem: MalformedAgents) -> CannotStart:
    detail = f"{problem.path} cannot be read: {problem.reason}"
    return CannotStart("malformed_agents", detail, "Correct the file, or remove it.")


def sockets(problem: HomeProblem | SocketPathTooLong) -> CannotStart:
    match problem:
        case SocketPathTooLong(path=path):
            remedy = "Set XDG_RUNTIME_DIR or TMPDIR to a shorter path."
            return CannotStart("socket_path_too_long", f"{path} is too long for a socket", remedy)
        case HomeProblem():
            return home(problem)
        case _:
            assert_never(problem)


def token(problem: PrivateFileProblem | MalformedToken) -> CannotStart:
    match problem:
        case MalformedToken(path=path):
            remedy = "Remove the file: a new token is made at the next start."
            return CannotStart("malformed_token", f"{path} holds no token", remedy)
        case PrivateFileProblem(path=path, fault=fault):
            return CannotStart(fault.value, f"{path} cannot be used", "Make it yours, mode 0600.")
        case _:
            assert_never(problem)


def keys(problem: KeyProblem) -> CannotStart:
    restore = "Bring back the key file from a backup; without it the stored secrets are lost."
    match problem:
        case KeyMissing(path=path):
            return CannotStart("key_missing", f"{path} is missing, and secrets need it", restore)
        case KeyUnusable(path=path, size=size):
            return CannotStart("key_unusable", f"{path} has {size} bytes and is no key", restore)
        case KeyUnknown(path=path, count=count):
            detail = f"{path} does not open {count} of the stored secrets"
            return CannotStart("key_unknown", detail, restore)
        case PrivateFileProblem(path=path, fault=fault):
            return CannotStart(fault.value, f"{path} cannot be used", "Make it yours, mode 0600.")
        case _:
            assert_never(problem)


def store(problem: OpenProblem) -> CannotStart:
    match problem:
        case NewerDatabase():
            return CannotStart(
                "database_newer",
                f"the database was written by a later Kandev: {problem}",
                "Start that version; the database is unchanged.",
            )
        case AlteredMigration():
            detail = f"the database was migrated by another build: {problem}"
            return CannotStart("database_altered", detail, "Restore a backup of this version.")
        case MigrationFailed(revision=revision, reason=reason):
            detail = f"the migration {revision} failed: {reason}"
            return CannotStart("migration_failed", detail, "The database is unchanged; report it.")
        case BackupFailed():
            detail = "the database could not be copied before its upgrade; it is unchanged"
            return CannotStart("backup_failed", detail, "Free space in the home's backups folder.")
        case DatabaseHeld():
            detail = "another server owns the database of KANDEV_DATABASE_URL"
            return CannotStart("database_in_use", detail, "Use that server, or stop it first.")
        case Unusable(path=path, fault=StoreFault.DISK_FULL):
            return CannotStart("disk_full", f"no room on the disk of {path}", "Free some space.")
        case Unusable(path=path, fault=fault):
            detail = f"{path} cannot be used: {fault.value}"
            return CannotStart("database_unusable", detail, "Restore a backup, or free the file.")
        case _:
            assert_never(problem)
