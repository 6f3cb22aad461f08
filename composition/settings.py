"""The settings of an installation, from the environment; nothing else is read for them."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from adapters.home.layout import home_of
from domain.outcome import failed
from domain.public_address import PublicUrl, parse_public_url
from domain.secret import Secret

__all__ = ("DEFAULT_PORT", "VERSION", "InvalidSettings", "Settings", "read_settings")

VERSION: Final = "0.1.0"
"""The version of this build, as `pyproject.toml` has it."""

DEFAULT_PORT: Final = 38429

_POSTGRESQL: Final = ("postgresql://", "postgres://")


class InvalidSettings(Exception):  # noqa: N818 -- says what the settings are
    """A setting cannot be used; the text names the variable and what it takes."""


@dataclass(frozen=True, slots=True)
class Settings:
    """`api_token` overrides the token of the home, `database` the database file in it.

    `public` is what a proxy on this machine serves the server as.
    """

    home: Path
    host: str
    port: int
    api_token: str | None
    search_path: str
    database: Secret | None = None
    public: PublicUrl | None = None


def read_settings(environment: Mapping[str, str]) -> Settings:
    """Read `PATH`, and behind `KANDEV_` the variables that `Settings` is made of.

    Raises `InvalidSettings` for a port that is none, for a host that is not on loopback, for a
    database that is not PostgreSQL's, and for a public address that is more than scheme, host and
    port.
    """
    home = home_of(environment, Path(environment.get("HOME") or "/"))
    if not home.is_absolute():
        raise InvalidSettings("KANDEV_HOME must be an absolute path")
    host = environment.get("KANDEV_HOST") or "127.0.0.1"
    if host not in {"127.0.0.1", "localhost", "::1"}:
        raise InvalidSettings("KANDEV_HOST must be a loopback address: 127.0.0.1, localhost or ::1")
    port = environment.get("KANDEV_PORT") or str(DEFAULT_PORT)
    if not (port.isascii() and port.isdigit() and int(port) < 65536):
        raise InvalidSettings("KANDEV_PORT must be a number from 0 to 65535")
    return Settings(
        home=home,
        host=host,
        port=int(port),
        api_token=environment.get("KANDEV_API_TOKEN") or None,
        search_path=environment.get("PATH") or "/usr/local/bin:/usr/bin:/bin",
        database=_database(environment.get("KANDEV_DATABASE_URL")),
        public=_public(environment.get("KANDEV_PUBLIC_URL")),
    )


def _database(url: str | None) -> Secret | None:
    """The address of the database, which has a password in it more often than not."""
    if not url:
        return None
    if not url.startswith(_POSTGRESQL):
        raise InvalidSettings("KANDEV_DATABASE_URL must begin with postgresql://")
    return Secret(url)


def _public(url: str | None) -> PublicUrl | None:
    if not url:
        return None
    parsed = parse_public_url(url)
    if failed(parsed):
        raise InvalidSettings("KANDEV_PUBLIC_URL must be like https://kandev.example, no path")
    return parsed.unwrap()
