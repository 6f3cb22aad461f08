"""What the system promises about the files that a new worktree is given."""

_PAGE = "docs/specification/copy-files.md"

PROMISES: dict[str, tuple[str, str]] = {
    "copy-files:grammar": (
        f"{_PAGE}#the-text",
        "Entries are separated by commas outside braces; of one pattern the first entry wins.",
    ),
    "copy-files:refused": (
        f"{_PAGE}#keywords",
        "A keyword other than `symlink` is refused when saved; a stored one means a copy.",
    ),
    "copy-files:given": (
        f"{_PAGE}#what-a-worktree-gets",
        "A new worktree gets copies with their permissions, or relative links back.",
    ),
    "copy-files:contained": (
        f"{_PAGE}#what-a-worktree-gets",
        "Nothing is read from outside the repository, and nothing is written through a link.",
    ),
    "copy-files:warned": (
        f"{_PAGE}#warnings",
        "What cannot be given is a warning with a stable reason; everything else is given.",
    ),
    "copy-files:setting": (
        f"{_PAGE}#the-setting",
        "Each repository has its own text, which only a person reads and changes.",
    ),
}
