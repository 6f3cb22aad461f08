"""What the system promises about secrets in text."""

_PAGE = "docs/specification/redaction.md"

PROMISES: dict[str, tuple[str, str]] = {
    "redaction:value": (
        f"{_PAGE}#by-value",
        "A registered value is masked raw, in base64, percent-encoded and escaped in a literal.",
    ),
    "redaction:value:lines": (
        f"{_PAGE}#by-value",
        "A secret of several lines is masked line by line.",
    ),
    "redaction:value:long": (
        f"{_PAGE}#by-value",
        "A long line is looked for in pieces of 1,024 characters.",
    ),
    "redaction:value:short": (
        f"{_PAGE}#by-value",
        "A value of fewer than 8 bytes is refused.",
    ),
    "redaction:value:many": (
        f"{_PAGE}#by-value",
        "At most 16,384 values are held; one more is refused.",
    ),
    "redaction:value:forget": (
        f"{_PAGE}#by-value",
        "A value is forgotten when it was forgotten as often as it was registered.",
    ),
    "redaction:shape": (
        f"{_PAGE}#by-shape",
        "Secrets that nobody registered are masked by their shape.",
    ),
    "redaction:shape:transcript": (
        f"{_PAGE}#by-shape",
        "In a transcript only what is unmistakable is masked.",
    ),
    "redaction:stream": (
        f"{_PAGE}#in-a-stream",
        "A stream is redacted as its whole would be, wherever its chunks are cut.",
    ),
    "redaction:stream:prompt": (
        f"{_PAGE}#in-a-stream",
        "A finished line comes out at once.",
    ),
    "redaction:stream:memory": (
        f"{_PAGE}#in-a-stream",
        "What a stream holds is bounded, and an endless secret stays masked.",
    ),
    "redaction:everywhere": (
        f"{_PAGE}#redaction",
        "A connection's token is kept nowhere, in no encoding that is known, whoever says it.",
    ),
    "redaction:cost": (
        f"{_PAGE}#what-it-costs",
        "Time is linear; clean text is the same object; twice is once; text and bytes agree.",
    ),
}
