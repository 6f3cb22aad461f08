"""Requests that were answered or refused at the door, counted by method and status."""

from collections import Counter
from typing import Final

from domain.metrics import Kind, Metric, Sample

__all__ = ("RequestMeter",)

_METHODS: Final = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})


class RequestMeter:
    """Belongs to the server's event loop. A method that no route has counts as `other`."""

    __slots__ = ("_counts",)

    def __init__(self) -> None:
        self._counts: Counter[tuple[str, int]] = Counter()

    def answered(self, method: str, status: int) -> None:
        self._counts[method if method in _METHODS else "other", status] += 1

    def metric(self) -> Metric:
        samples = [
            Sample(count, (("method", method), ("status", str(status))))
            for (method, status), count in sorted(self._counts.items())
        ]
        told = "Requests by method and status; a stream counts when it begins."
        return Metric("kandev_http_requests_total", Kind.COUNTER, told, tuple(samples))
