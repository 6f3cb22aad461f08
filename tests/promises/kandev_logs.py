"""What the system promises about `kandev logs`."""

_PAGE = "docs/specification/command-line.md"

PROMISES: dict[str, tuple[str, str]] = {
    "kandev-logs:file": (
        f"{_PAGE}#kandev-logs",
        "The bundle is a file of mode 0600 whose path is the only thing on standard output.",
    ),
    "kandev-logs:token": (
        f"{_PAGE}#kandev-logs",
        "The token comes from `KANDEV_API_TOKEN` alone and appears in no output.",
    ),
    "kandev-logs:usage": (
        f"{_PAGE}#kandev-logs",
        "A wrong command line exits 2; `--help` needs no server and names every exit code.",
    ),
    "kandev-logs:partial": (
        f"{_PAGE}#kandev-logs",
        "A partial bundle exits 0, with `--strict` 3.",
    ),
    "kandev-logs:busy": (
        f"{_PAGE}#kandev-logs",
        "A busy server exits 4 and says when to come again; `--wait` does that.",
    ),
    "kandev-logs:entry": (
        f"{_PAGE}#kandev-logs",
        "The manifest, or one entry, can be had alone.",
    ),
    "kandev-logs:resume": (
        f"{_PAGE}#kandev-logs",
        "A download that broke off goes on where it did, if the bundle is still the same.",
    ),
    "kandev-logs:verify": (
        f"{_PAGE}#kandev-logs",
        "An archive that is not what was said gets no name.",
    ),
    "kandev-logs:nothing-left": (
        f"{_PAGE}#kandev-logs",
        "A download that fails leaves nothing.",
    ),
}
