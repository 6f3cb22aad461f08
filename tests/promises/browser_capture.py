"""What the system promises about the evidence of browsers."""

_PAGE = "docs/specification/diagnostic-bundles.md"

PROMISES: dict[str, tuple[str, str]] = {
    "bundle:capture:asked": (
        f"{_PAGE}#browsers",
        "The connected browsers of the owner are asked, no others, and none without `frontend`.",
    ),
    "bundle:capture:first": (
        f"{_PAGE}#browsers",
        "Of a browser the first tab is heard whose chunk is accepted; the others are told so.",
    ),
    "bundle:capture:order": (
        f"{_PAGE}#browsers",
        "Chunks come in order; one that does not changes nothing.",
    ),
    "bundle:capture:bounds": (
        f"{_PAGE}#browsers",
        "Chunks, entries, metadata, names and browsers have bounds; what was taken before stays.",
    ),
    "bundle:capture:early": (
        f"{_PAGE}#browsers",
        "Nobody is waited for when all who were asked have answered, or nobody was.",
    ),
    "bundle:capture:kept": (
        f"{_PAGE}#browsers",
        "What a browser brought before the deadline is kept, and the bundle says it was cut short.",
    ),
    "bundle:capture:lines": (
        f"{_PAGE}#browsers",
        "Each entry is one line of JSON, redacted.",
    ),
    "bundle:capture:owner": (
        f"{_PAGE}#browsers",
        "Only the owner of a bundle that is collecting can bring anything to it.",
    ),
}
