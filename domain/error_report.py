"""What a page reports when it shows an error: bounded text, and an address without secrets.

Nothing of it is trusted: it becomes fields of one entry in the log, never the entry itself.
"""

from collections.abc import Mapping
from typing import Final, NamedTuple
from urllib.parse import urlsplit

from domain.rate_meter import Rate, RateMeter

__all__ = (
    "ALL_BYTES",
    "ALL_REPORTS",
    "EACH_BYTES",
    "EACH_REPORTS",
    "FIELD_BYTES",
    "MAX_REPORT_BYTES",
    "Bounded",
    "ReportMeters",
    "bounded",
    "plain_url",
)

MAX_REPORT_BYTES = 64 * 1024

EACH_REPORTS = Rate(60, 20)
ALL_REPORTS = Rate(300, 100)
EACH_BYTES = Rate(64 * 1024, 64 * 1024)
ALL_BYTES = Rate(256 * 1024, 256 * 1024)

_KIB: Final = 1024

FIELD_BYTES: Mapping[str, int] = {
    "title": 8 * _KIB,
    "description": 8 * _KIB,
    "error_message": 8 * _KIB,
    "url": 8 * _KIB,
    "task_id": 128,
    "user_agent": 2 * _KIB,
    "language": 2 * _KIB,
    "platform": 2 * _KIB,
    "error_name": 2 * _KIB,
    "stack": 16 * _KIB,
    "error_stack": 16 * _KIB,
}
"""The longest value of each field, in bytes of UTF-8."""


class ReportMeters:
    """What was taken of reports and of their bytes, for as long as the process runs."""

    __slots__ = ("bytes", "reports")

    def __init__(self) -> None:
        self.reports = RateMeter(EACH_REPORTS, ALL_REPORTS)
        self.bytes = RateMeter(EACH_BYTES, ALL_BYTES)


class Bounded(NamedTuple):
    fields: dict[str, str]
    truncated: bool


def bounded(fields: Mapping[str, str]) -> Bounded:
    """Each field within its bound, cut between characters; the empty ones are left out."""
    cut = {name: _cut(text, FIELD_BYTES[name]) for name, text in fields.items() if text}
    return Bounded(cut, any(cut[name] != fields[name] for name in cut))


def plain_url(text: str) -> str:
    """Scheme, host and path alone; nothing when that is no address of the web."""
    try:
        parts = urlsplit(text.strip())
        port = parts.port
    except ValueError:
        return ""
    if parts.scheme not in {"http", "https"} or not parts.hostname:
        return ""
    host = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
    return f"{parts.scheme}://{host}{'' if port is None else f':{port}'}{parts.path}"


def _cut(text: str, limit: int) -> str:
    encoded = text.encode("utf-8", "replace")
    return encoded[:limit].decode("utf-8", "ignore")
