"""What the system promises about bundles as a client gets them."""

_PAGE = "docs/specification/diagnostic-bundles.md"

PROMISES: dict[str, tuple[str, str]] = {
    "bundles:download": (
        f"{_PAGE}#over-rest",
        "The archive that is sent has the length, the CRC and the manifest that were said before.",
    ),
    "bundles:range": (
        f"{_PAGE}#over-rest",
        "A part of an archive is answered for `Range`, under `If-Range` only for the same tag.",
    ),
    "bundles:entry": (
        f"{_PAGE}#over-rest",
        "One entry can be read without the archive around it.",
    ),
    "bundles:frontend": (
        f"{_PAGE}#over-rest",
        "Without a connected browser a bundle of the frontend ends partial.",
    ),
    "bundles:redacted": (
        f"{_PAGE}#over-rest",
        "No bundle of any source has a secret, an absolute path of the home or a task's title.",
    ),
    "bundles:acp": (
        f"{_PAGE}#over-rest",
        "Of what agents said the newest events are taken, in order, an equal share a session.",
    ),
    "bundles:backend:whose": (
        f"{_PAGE}#jobs",
        "The log of the backend is in the bundles of those who administer, and in no others.",
    ),
    "bundles:runtime": (
        f"{_PAGE}#over-rest",
        "The index lists the sessions that run and those of 72 hours, without title and prompt.",
    ),
    "bundles:acp:redacted": (
        f"{_PAGE}#over-rest",
        "What agents said is redacted again, and the manifest counts the places that are masked.",
    ),
    "bundles:acp:unknown": (
        f"{_PAGE}#over-rest",
        "A session that is not there is a warning.",
    ),
    "bundles:refused": (
        f"{_PAGE}#over-rest",
        "A request that is none is refused with a stable code before there is a job.",
    ),
    "bundles:pinned": (
        f"{_PAGE}#over-rest",
        "What is pinned of a log stays as it was when the day ends; only regular files are taken.",
    ),
    "bundles:busy": (
        f"{_PAGE}#over-rest",
        "One active job an identity and eight in all; one more is told when to come again.",
    ),
    "bundles:owner": (
        f"{_PAGE}#over-rest",
        "Another's bundle is answered as one that does not exist.",
    ),
    "bundles:let-go": (
        f"{_PAGE}#over-rest",
        "What a bundle holds is let go when it has expired and its last reader has left.",
    ),
    "bundles:changed": (
        f"{_PAGE}#over-rest",
        "Evidence that changed under a bundle ends the body early and fails the job.",
    ),
}
