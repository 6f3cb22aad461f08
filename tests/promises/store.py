"""What the system promises about what it stores."""

_PAGE = "docs/specification/store.md"

PROMISES: dict[str, tuple[str, str]] = {
    "store:unit:all-or-nothing": (
        f"{_PAGE}#units-of-work",
        "What a unit of work does is stored as a whole, or not at all when it fails or is cancelled.",
    ),
    "store:changes": (
        f"{_PAGE}#units-of-work",
        "A follower is told each change once it is durable, and of none after it lost one.",
    ),
    "store:read:consistent": (
        f"{_PAGE}#units-of-work",
        "A reader sees one state from its first question on, and neither waits for a writer nor holds one up.",
    ),
    "store:write:one-at-a-time": (
        f"{_PAGE}#units-of-work",
        "Writers come one after another, and no update is lost between them.",
    ),
    "store:write:other-process": (
        f"{_PAGE}#units-of-work",
        "A writer of another process is waited for within a bound, without stopping anyone else.",
    ),
    "store:session:version": (
        f"{_PAGE}#sessions-and-events",
        "A session is written only by whoever saw its newest version.",
    ),
    "store:events:numbered": (
        f"{_PAGE}#sessions-and-events",
        "The events of a session are numbered from 1 without a gap, across its executions.",
    ),
    "store:events:once": (
        f"{_PAGE}#sessions-and-events",
        "An event is stored once, however often it comes.",
    ),
    "store:events:acknowledged": (
        f"{_PAGE}#sessions-and-events",
        "An execution knows the number through which all of its events are stored; it only grows.",
    ),
    "store:page:keyset": (
        f"{_PAGE}#pages",
        "A list is read in pages that begin after a given id and hold at most the asked number.",
    ),
    "store:connection:revision": (
        f"{_PAGE}#connections-and-leases",
        "A revision of a connection is never given twice for a host, not even after a removal.",
    ),
    "store:leases:revoked": (
        f"{_PAGE}#connections-and-leases",
        "Live leases are revoked by lease, execution or connection, each once.",
    ),
    "store:workspace:managed": (
        f"{_PAGE}#connections-and-leases",
        "A workspace whose policy was never stored is managed, in a new database and in an old one.",
    ),
    "store:outbox:one-event": (
        f"{_PAGE}#what-happens-to-tasks",
        "A unit that changes a task publishes exactly one event of it, with the change itself.",
    ),
    "store:outbox:taken-once": (
        f"{_PAGE}#what-happens-to-tasks",
        "A consumer takes each event once and in order, and again if what it did was undone.",
    ),
    "store:outbox:pruned": (
        f"{_PAGE}#what-happens-to-tasks",
        "An event older than seven days is removed once every consumer has taken it.",
    ),
    "store:outbox:bulk": (
        f"{_PAGE}#what-happens-to-tasks",
        "Whatever a user does publishes one event for each task that it changes.",
    ),
    "store:task:removed-whole": (
        f"{_PAGE}#what-happens-to-tasks",
        "A task is removed with its sessions and all that hangs on them.",
    ),
    "store:crash:nothing-lost": (
        f"{_PAGE}#crashes",
        "A process killed at any moment loses no write that it was told of, and leaves a sound database.",
    ),
    "store:disk:full": (
        f"{_PAGE}#crashes",
        "When the disk is full the unit is undone, the caller is told, and the store works on once there is room.",
    ),
    "store:log:bounded": (
        f"{_PAGE}#crashes",
        "The write-ahead log is moved into the database by a thread of its own, and truncated when it has grown.",
    ),
    "store:upgrade:recorded": (
        f"{_PAGE}#upgrades",
        "Migrations are recorded one by one with a checksum, and the version after all of them.",
    ),
    "store:upgrade:replayed": (
        f"{_PAGE}#upgrades",
        "Applying the migrations again to a database that has them changes nothing.",
    ),
    "store:upgrade:failure": (
        f"{_PAGE}#upgrades",
        "A migration that fails stops the start and leaves the database as it was.",
    ),
    "store:upgrade:newer": (
        f"{_PAGE}#upgrades",
        "A database of a newer program is refused, unchanged, with both versions named.",
    ),
    "store:upgrade:altered": (
        f"{_PAGE}#upgrades",
        "A database that went through another text of a migration is refused.",
    ),
    "store:upgrade:every-schema": (
        f"{_PAGE}#upgrades",
        "A database of every released schema is brought to the newest one with every row, after a copy.",
    ),
    "store:upgrade:killed": (
        f"{_PAGE}#upgrades",
        "A start that is killed while it migrates leaves the old schema, and the next start completes.",
    ),
    "store:upgrade:import": (
        f"{_PAGE}#upgrades",
        "A start with nothing to apply does not load the migration tool.",
    ),
    "store:backup:when": (
        f"{_PAGE}#backups",
        "A copy is made before migrating when the version differs, or tables exist without one.",
    ),
    "store:backup:whole": (
        f"{_PAGE}#backups",
        "A copy is checked and complete before it has its name, and only its owner can read it.",
    ),
    "store:backup:kept": (
        f"{_PAGE}#backups",
        "The newest two automatic copies are kept, and files of others are never touched.",
    ),
    "store:backup:failure": (
        f"{_PAGE}#backups",
        "When no copy can be made the start stops, with the database and older copies unchanged.",
    ),
    "backup:create": (
        f"{_PAGE}#backups-on-request",
        "A backup can be made beside a running server, and is whole or not there.",
    ),
    "backup:list": (
        f"{_PAGE}#backups-on-request",
        "What is listed are backups and nothing else, the newest first.",
    ),
    "backup:verify": (
        f"{_PAGE}#backups-on-request",
        "A backup that is damaged, foreign or of a newer program is told from a sound one.",
    ),
    "backup:restore": (
        f"{_PAGE}#backups-on-request",
        "A restored backup takes the place of the database, which is kept as a backup.",
    ),
    "backup:restore:no-going-back": (
        f"{_PAGE}#backups-on-request",
        "Leases of a restored backup are revoked, and the epoch of the relay does not go back.",
    ),
    "backup:restore:failure": (
        f"{_PAGE}#backups-on-request",
        "A restore that fails or is killed has changed nothing, or has happened.",
    ),
    "backup:restore:server": (
        f"{_PAGE}#backups-on-request",
        "A home that a server holds is not restored.",
    ),
    "backup:restore:key": (
        f"{_PAGE}#backups-on-request",
        "A backup whose secrets the home's key does not open is not restored.",
    ),
    "store:postgresql:every-schema": (
        f"{_PAGE}#postgresql",
        "A database of every released schema is brought to the newest one with every row on PostgreSQL.",
    ),
    "store:postgresql:schema": (
        f"{_PAGE}#postgresql",
        "The migrations make the same tables on PostgreSQL, in a new database and again in the same one.",
    ),
    "store:postgresql:no-copy": (
        f"{_PAGE}#postgresql",
        "Before an upgrade of PostgreSQL no copy is made, and pg_dump is named.",
    ),
    "store:postgresql:refused": (
        f"{_PAGE}#postgresql",
        "A newer or altered database is refused unchanged, and a migration that fails changes nothing.",
    ),
    "store:postgresql:owner": (
        f"{_PAGE}#postgresql",
        "One server owns a database at a time, and one that lost it does not write.",
    ),
    "store:postgresql:broken": (
        f"{_PAGE}#postgresql",
        "A connection that the server ended undoes its unit, and the next unit has another.",
    ),
    "store:postgresql:address": (
        f"{_PAGE}#postgresql",
        "The address of the database, with its password, is in no error and no log.",
    ),
    "store:postgresql:text": (
        f"{_PAGE}#postgresql",
        "A NUL in a text is stored as its symbol.",
    ),
    "store:postgresql:served": (
        f"{_PAGE}#postgresql",
        "A server with KANDEV_DATABASE_URL keeps everything in that database, across restarts.",
    ),
}
