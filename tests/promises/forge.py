"""What the forge of the demonstration promises."""

_PAGE = "docs/specification/forge.md"

PROMISES: dict[str, tuple[str, str]] = {
    "forge:serves": (
        f"{_PAGE}#what-it-serves",
        "It serves repositories over HTTPS as git's own server does, chunks and gzip included.",
    ),
    "forge:large-files": (
        f"{_PAGE}#what-it-serves",
        "It serves Git LFS: what git-lfs pushes is fetched again, and objects are what they are called.",
    ),
    "forge:record": (
        f"{_PAGE}#what-it-serves",
        "It records each request with who authenticated and what was answered.",
    ),
    "forge:token": (
        f"{_PAGE}#whom-it-lets-in",
        "It takes its current token and nothing else, and closes repositories that are named.",
    ),
    "forge:hold": (
        f"{_PAGE}#whom-it-lets-in",
        "It can hold authenticated pushes open until they are released.",
    ),
    "forge:bad-requests": (
        f"{_PAGE}#what-it-serves",
        "A body is held to 256 MiB and to a length that is a number.",
    ),
    "forge:ends": (
        f"{_PAGE}#its-life",
        "Leaving it ends its threads and connections at once; a failing client disturbs nobody.",
    ),
}
