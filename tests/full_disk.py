"""A disk that takes no more, as far as this process can tell."""

import resource
from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ("full_disk",)


@contextmanager
def full_disk(size: int) -> Iterator[None]:
    """No file of this process grows past `size` bytes (setrlimit(2), RLIMIT_FSIZE)."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
