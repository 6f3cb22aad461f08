"""What the system promises about git's configuration in the environment."""

_PAGE = "docs/specification/git-configuration.md"

PROMISES: dict[str, tuple[str, str]] = {
    "git-config:parse:accepted": (
        f"{_PAGE}#reading",
        "A block that git accepts is accepted, and means to git what it meant before.",
    ),
    "git-config:parse:refused": (
        f"{_PAGE}#reading",
        "A block that git refuses is refused by variable, index and reason.",
    ),
    "git-config:parse:verdict": (
        f"{_PAGE}#reading",
        "For any count, keys and values the verdict is git's, within the bounds.",
    ),
    "git-config:parse:problem": (
        f"{_PAGE}#reading",
        "A problem names the layer, the variable and the index, never a key or a value.",
    ),
    "git-config:compose:order": (
        f"{_PAGE}#composing",
        "The lower block comes first, then the higher one, and no repeated key is taken for a copy.",
    ),
    "git-config:compose:overlap": (
        f"{_PAGE}#composing",
        "The longest exact suffix of the lower block that the higher begins with is emitted once.",
    ),
    "git-config:compose:forwarded": (
        f"{_PAGE}#composing",
        "A block that is forwarded again changes nothing.",
    ),
    "git-config:serialize": (
        f"{_PAGE}#writing",
        "A block is written contiguously from 0 and reads back as it was; an empty one is nothing.",
    ),
    "git-config:bounds:entries": (f"{_PAGE}#bounds", "A block has at most 1,024 entries."),
    "git-config:bounds:bytes": (f"{_PAGE}#bounds", "A block has at most 256 KiB."),
    "git-config:bounds:text": (
        f"{_PAGE}#bounds",
        "A key or a value is no longer than what Linux starts a process with.",
    ),
    "git-config:bounds:hook": (
        f"{_PAGE}#bounds",
        "Under the largest block that is accepted git still starts a hook.",
    ),
}
