"""How often one may try to sign in: in windows, by the account that is named and by the address.

Either bound alone leaves a way: many passwords for one account from many addresses, or one password
for many accounts from one. What is remembered is bounded; nothing of it outlives the process.
"""

import math
from typing import Final, NamedTuple

__all__ = ("BY_ACCOUNT", "BY_ADDRESS", "MAX_REMEMBERED", "WINDOW_SECONDS", "Attempts")

WINDOW_SECONDS: Final = 300.0
BY_ACCOUNT: Final = 10
"""Attempts on one account in a window, the right ones too, until one succeeds."""
BY_ADDRESS: Final = 50
"""Attempts that fail from one address in a window: several people may share one."""
MAX_REMEMBERED: Final = 4096
"""Accounts, and addresses; beyond it the ones that began first are forgotten."""


class _Window(NamedTuple):
    since: float
    tries: int


class Attempts:
    """Times are seconds of a clock that never goes back."""

    __slots__ = ("_accounts", "_addresses")

    def __init__(self) -> None:
        self._accounts: dict[str, _Window] = {}
        self._addresses: dict[str, _Window] = {}

    @property
    def remembered(self) -> int:
        return max(len(self._accounts), len(self._addresses))

    def begin(self, account: str, address: str, now: float) -> int:
        """Count an attempt, 0; or refuse it, the whole seconds to wait, and count nothing."""
        wait = max(
            _wait(self._accounts.get(account), BY_ACCOUNT, now),
            _wait(self._addresses.get(address), BY_ADDRESS, now),
        )
        if not wait:
            _count(self._accounts, account, now)
            _count(self._addresses, address, now)
        return wait

    def succeeded(self, account: str, address: str) -> None:
        """Forget what was tried on the account, and take the attempt of the address back."""
        self._accounts.pop(account, None)
        window = self._addresses.get(address)
        if window is not None:
            self._addresses[address] = window._replace(tries=max(0, window.tries - 1))


def _wait(window: _Window | None, bound: int, now: float) -> int:
    if window is None or window.tries < bound:
        return 0
    return max(0, math.ceil(window.since + WINDOW_SECONDS - now))


def _count(windows: dict[str, _Window], key: str, now: float) -> None:
    window = windows.pop(key, None)
    if window is None or now >= window.since + WINDOW_SECONDS:
        window = _Window(now, 0)
    if len(windows) >= MAX_REMEMBERED:
        over = [name for name, each in windows.items() if now >= each.since + WINDOW_SECONDS]
        for name in over or [next(iter(windows))]:
            del windows[name]
    windows[key] = window._replace(tries=window.tries + 1)
