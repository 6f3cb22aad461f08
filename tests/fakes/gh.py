"""A `gh` that is signed in to some accounts, and writes down how often it was asked."""

import shlex
from pathlib import Path

__all__ = ("FakeGh",)

_SCRIPT = """#!/bin/sh
echo "$*" >> {calls}
[ -z "$GH_TOKEN$GITHUB_TOKEN" ] || exit 4
[ "$1 $2 $3 $5" = "auth token --hostname --user" ] || exit 2
[ -r {accounts}/"$4"/"$6" ] || exit 1
exec cat {accounts}/"$4"/"$6"
"""


class FakeGh:
    """Its program is `directory`/gh; `sign_in` before it is asked."""

    def __init__(self, directory: Path) -> None:
        directory.mkdir(parents=True, exist_ok=True)
        self.directory = directory
        self._calls = directory / "calls"
        self._accounts = directory / "accounts"
        program = directory / "gh"
        program.write_text(
            _SCRIPT.format(
                calls=shlex.quote(str(self._calls)), accounts=shlex.quote(str(self._accounts))
            ),
            encoding="utf-8",
        )
        program.chmod(0o755)

    def sign_in(self, host: str, login: str, token: str) -> None:
        account = self._accounts / host / login
        account.parent.mkdir(parents=True, exist_ok=True)
        account.write_text(f"{token}\n", encoding="utf-8")

    def sign_out(self, host: str, login: str) -> None:
        (self._accounts / host / login).unlink()

    @property
    def calls(self) -> list[str]:
        return self._calls.read_text("utf-8").splitlines() if self._calls.exists() else []
