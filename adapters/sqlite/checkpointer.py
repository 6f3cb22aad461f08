"""Moving the write-ahead log into the database, on a thread of its own.

A writer that checkpoints makes everyone wait for the disk. Here it only says that there is
something to move; the thread takes what it can without waiting for anyone, and truncates the log
when it has grown and nobody reads it.
"""

import sqlite3
import threading
from contextlib import closing
from typing import Final

__all__ = ("LINGER_SECONDS", "MAX_LOG_PAGES", "Checkpointer", "checkpoint")

LINGER_SECONDS: Final = 0.25
"""Seconds from the first commit to the checkpoint that moves it and those that followed."""
MAX_LOG_PAGES: Final = 4_096
"""Pages in the log from which it is truncated: 16 MiB."""


class Checkpointer:
    """Started and joined by its owner; the connection is its own, and waits for nobody."""

    def __init__(self, driver: sqlite3.Connection) -> None:
        self._driver = driver
        self._dirty = threading.Event()
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._run, name="checkpointer")

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        """Join the thread; what is still in the log stays there, and is read from there."""
        self._stopped.set()
        self._dirty.set()
        self._thread.join()

    def committed(self) -> None:
        if not self._dirty.is_set():
            self._dirty.set()

    def _run(self) -> None:
        with closing(self._driver):
            while self._dirty.wait() and not self._stopped.wait(LINGER_SECONDS):
                self._dirty.clear()
                # A stop that came in between has just been cleared away with the rest.
                if self._stopped.is_set():
                    return
                checkpoint(self._driver)


def checkpoint(driver: sqlite3.Connection) -> None:
    """A checkpoint that fails loses nothing: the log is kept, and the next commit asks again."""
    try:
        _, pages, _ = driver.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchone()
        if pages > MAX_LOG_PAGES:
            driver.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
    except sqlite3.OperationalError:
        return
