"""What the system promises about secrets at rest."""

_PAGE = "docs/specification/secrets.md"

PROMISES: dict[str, tuple[str, str]] = {
    "secrets:seal:place": (
        f"{_PAGE}#sealed-values",
        "A sealed value opens only at the place it was sealed for: its id, its owner and its scope.",
    ),
    "secrets:seal:altered": (
        f"{_PAGE}#sealed-values",
        "A sealed value in which one bit was changed, or which was cut, does not open.",
    ),
    "secrets:seal:fresh": (
        f"{_PAGE}#sealed-values",
        "Sealing a value twice gives two different texts, and neither shows the value.",
    ),
    "secrets:key:made-once": (
        f"{_PAGE}#the-key-file",
        "The key file is made at the first start, whole, exclusively and for its owner only.",
    ),
    "secrets:key:missing": (
        f"{_PAGE}#the-key-file",
        "Without its key file an installation that has sealed values refuses to start, and makes no other.",
    ),
    "secrets:key:wrong": (
        f"{_PAGE}#the-key-file",
        "A key file that holds no key, or not the key of a sealed value, is refused and left as it is.",
    ),
    "secrets:key:private": (
        f"{_PAGE}#the-key-file",
        "A private file that others may read, that is not ours or that is a link is refused.",
    ),
    "secrets:key:rotation": (
        f"{_PAGE}#the-key-file",
        "The newest key seals; every key in the file opens.",
    ),
    "secrets:capability:sealed": (
        f"{_PAGE}#capabilities",
        "A capability opens to what was sealed, and one that is altered, foreign or of another purpose does not.",
    ),
    "secrets:rotate": (
        f"{_PAGE}#rotation",
        "After a rotation everything stored is sealed with a new key.",
    ),
    "secrets:rotate:bound": (
        f"{_PAGE}#rotation",
        "The key file never holds more than eight keys.",
    ),
    "secrets:rotate:forget": (
        f"{_PAGE}#rotation",
        "An old key is forgotten once no stored secret, no backup and no running agent needs it.",
    ),
    "secrets:rotate:safe": (
        f"{_PAGE}#rotation",
        "A rotation that fails or is killed at any step loses nothing, and the next one finishes it.",
    ),
    "secrets:rotate:server": (
        f"{_PAGE}#rotation",
        "A home that a server holds is not rotated.",
    ),
}
