"""A store whose disk is in trouble: every unit says which."""

from contextlib import AbstractAsyncContextManager, AbstractContextManager

from ports.changes import Following
from ports.store import Reader, StoreFault, StoreUnavailable, Writer

__all__ = ("BrokenStore",)


class BrokenStore:
    def __init__(self, fault: StoreFault) -> None:
        self._fault = fault

    def read(self) -> AbstractAsyncContextManager[Reader]:
        raise StoreUnavailable(self._fault)

    def follow(self) -> AbstractContextManager[Following]:
        raise StoreUnavailable(self._fault)

    def write(self) -> AbstractAsyncContextManager[Writer]:
        raise StoreUnavailable(self._fault)
