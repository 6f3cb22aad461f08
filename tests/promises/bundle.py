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
}
