"""What the system promises about diagnostic bundles: archive, selection, manifest, jobs, place."""

_PAGE = "docs/specification/diagnostic-bundles.md"

PROMISES: dict[str, tuple[str, str]] = {
    "bundle:archive:length": (
        f"{_PAGE}#the-archive",
        "The length of an archive and the place of every byte are known before the first is sent.",
    ),
    "bundle:archive:crc": (
        f"{_PAGE}#the-archive",
        "The CRC of an archive and of the end of a log follow without reading the bytes again.",
    ),
    "bundle:archive:stored": (
        f"{_PAGE}#the-archive",
        "Entries are stored, with sizes and CRC in the local header and mode 0600.",
    ),
    "bundle:archive:range": (
        f"{_PAGE}#the-archive",
        "Any range of an archive is the slice of the whole.",
    ),
    "bundle:archive:same": (
        f"{_PAGE}#the-archive",
        "The same plan is the same bytes under one strong tag; another payload has another.",
    ),
    "bundle:archive:name": (
        f"{_PAGE}#the-archive",
        "A name that could unpack elsewhere or onto another entry is refused.",
    ),
    "bundle:archive:bounds": (
        f"{_PAGE}#the-archive",
        "What would need zip64 is refused when it is planned.",
    ),
    "bundle:archive:time": (
        f"{_PAGE}#the-archive",
        "Times are UTC, held between 1980 and 2107.",
    ),
    "bundle:archive:readers": (
        f"{_PAGE}#the-archive",
        "Python, unzip and zipinfo accept an archive.",
    ),
    "bundle:archive:cap": (
        f"{_PAGE}#bounds",
        "An archive has at most 256 MiB; full budgets and the largest manifest fit into it.",
    ),
    "bundle:select:newest": (
        f"{_PAGE}#selection",
        "Of logs the newest bytes within the budget are taken and every other byte is counted.",
    ),
    "bundle:select:line": (
        f"{_PAGE}#selection",
        "A log that is cut begins with a line, if one begins within 256 KiB.",
    ),
    "bundle:select:budget": (
        f"{_PAGE}#bounds",
        "Each source has a budget: 160, 80 and 2 MiB, with agents' messages 96, 48, 2 and 96 MiB.",
    ),
    "bundle:select:rows": (
        f"{_PAGE}#selection",
        "Of the sessions as many are listed as fit into 2 MiB, at most 500.",
    ),
    "bundle:manifest:shape": (
        f"{_PAGE}#the-manifest",
        "The manifest names sources, byte ranges, checksums, times, losses, redactions, warnings.",
    ),
    "bundle:manifest:ready": (
        f"{_PAGE}#the-manifest",
        "A bundle that lacks nothing is ready.",
    ),
    "bundle:manifest:partial": (
        f"{_PAGE}#the-manifest",
        "Any omission makes a bundle partial and is named by a code, a source and a detail.",
    ),
    "bundle:manifest:bound": (
        f"{_PAGE}#the-manifest",
        "A manifest over 256 KiB says how many instead of which.",
    ),
    "bundle:manifest:first": (
        f"{_PAGE}#the-manifest",
        "The manifest is the first entry of the archive, and the same facts give the same bytes.",
    ),
    "bundle:manifest:private": (
        f"{_PAGE}#the-manifest",
        "A manifest has no place for an identity, an absolute path or the title of a task.",
    ),
    "bundle:request": (
        f"{_PAGE}#jobs",
        "A request names 1 to 4 distinct sources, and 1 to 10 sessions with `acp` only.",
    ),
    "bundle:job:states": (
        f"{_PAGE}#jobs",
        "A job collects, builds, and is ready, partial or failed; what comes late is discarded.",
    ),
    "bundle:job:coalesce": (
        f"{_PAGE}#jobs",
        "An equal request of the same identity gets the job that is active.",
    ),
    "bundle:job:fresh": (
        f"{_PAGE}#jobs",
        "A bundle over ten seconds old is not reused when the log has grown.",
    ),
    "bundle:job:failed": (
        f"{_PAGE}#jobs",
        "A failed job frees its place and is not reused.",
    ),
    "bundle:job:one": (f"{_PAGE}#jobs", "An identity has one active job."),
    "bundle:job:eight": (f"{_PAGE}#jobs", "There are at most eight active jobs."),
    "bundle:job:disk": (
        f"{_PAGE}#jobs",
        "What collecting may write is reserved; the log of the backend needs no disk.",
    ),
    "bundle:job:expiry": (
        f"{_PAGE}#jobs",
        "A job has five minutes and a bundle fifteen; then it is gone, and later unknown.",
    ),
    "bundle:job:owner": (
        f"{_PAGE}#jobs",
        "Another's job is answered as one that does not exist.",
    ),
    "bundle:job:memory": (
        f"{_PAGE}#jobs",
        "At most 64 bundles, four of one identity, and 256 ended jobs are held.",
    ),
    "bundle:place:path": (
        f"{_PAGE}#in-a-workspace",
        "A bundle lies at `.kandev/diagnostics/<bundle-id>.zip`, a name that the server chose.",
    ),
    "bundle:place:ours": (
        f"{_PAGE}#in-a-workspace",
        "Only names that the server made are ever removed.",
    ),
    "bundle:place:retention": (
        f"{_PAGE}#in-a-workspace",
        "A bundle is removed after 24 hours.",
    ),
}
