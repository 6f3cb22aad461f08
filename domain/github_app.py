"""A GitHub App as an installation of ours knows it: what was imported, and where it is installed.

The format of the token that an App proves itself with is GitHub's ("Generating a JSON Web Token for
a GitHub App"): RS256, issued a minute ago for clocks that differ, for at most ten minutes.
"""

import json
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from domain.connection import Fault, InvalidConnection
from domain.outcome import Failure, Result, Success
from domain.secret import Secret

__all__ = (
    "BACKDATED",
    "MAX_APP_ID",
    "MAX_KEY_LENGTH",
    "PROOF_LIFE",
    "REFRESH_BEFORE",
    "AppInstallation",
    "AppRegistration",
    "api_base",
    "check",
    "claims",
    "pack",
    "parts",
    "refresh_at",
    "unpack",
)

BACKDATED: Final = timedelta(seconds=60)
"""How long before now a proof says that it was issued."""
PROOF_LIFE: Final = timedelta(minutes=9)
"""From now to the end of a proof."""
REFRESH_BEFORE: Final = timedelta(minutes=5)
"""How long before its expiry an installation token is not used any more."""
MAX_APP_ID: Final = 2**63 - 1
MAX_KEY_LENGTH: Final = 16_384
"""Characters of a private key in PEM."""

_SECRETS = ("private_key", "client_secret", "webhook_secret")


@dataclass(frozen=True, slots=True)
class AppRegistration:
    """What is imported of an App."""

    app_id: int
    private_key: Secret
    client_secret: Secret
    webhook_secret: Secret


@dataclass(frozen=True, slots=True)
class AppInstallation:
    """Where the App is installed: GitHub's number of it, the App's name, the account it is in."""

    id: int
    name: str
    account: str


def check(registration: AppRegistration) -> Result[AppRegistration, InvalidConnection]:
    """Hold an import to the bounds; whether the key signs is the adapter's to find out."""
    key = registration.private_key.reveal()
    usable = (
        0 < registration.app_id <= MAX_APP_ID
        and len(key) <= MAX_KEY_LENGTH
        and key.strip().startswith("-----BEGIN ")
        and "PRIVATE KEY-----" in key
    )
    return Success(registration) if usable else Failure(InvalidConnection(Fault.SECRET))


def api_base(host: str) -> str:
    """The root of the REST API for a host: GitHub's own, or that of an Enterprise Server."""
    return "https://api.github.com" if host == "github.com" else f"https://{host}/api/v3"


def claims(app_id: int, now: datetime) -> dict[str, object]:
    """What a proof says."""
    return {
        "iat": int((now - BACKDATED).timestamp()),
        "exp": int((now + PROOF_LIFE).timestamp()),
        "iss": str(app_id),
    }


def refresh_at(expires: datetime) -> datetime:
    """From this moment on a token is minted anew."""
    return expires - REFRESH_BEFORE


def pack(registration: AppRegistration, installation: int) -> Secret:
    """What is sealed for a connection."""
    fields: dict[str, object] = {"app_id": registration.app_id, "installation": installation}
    fields |= {name: getattr(registration, name).reveal() for name in _SECRETS}
    return Secret(json.dumps(fields, separators=(",", ":")))


def unpack(sealed: Secret) -> tuple[AppRegistration, int] | None:
    """What `pack` made; None for anything else."""
    try:
        fields: object = json.loads(sealed.reveal())
    except ValueError:
        return None
    match fields:
        case {
            "app_id": int(app_id),
            "installation": int(installation),
            "private_key": str(key),
            "client_secret": str(client),
            "webhook_secret": str(webhook),
        }:
            registration = AppRegistration(app_id, Secret(key), Secret(client), Secret(webhook))
            return registration, installation
        case _:
            return None


def parts(registration: AppRegistration) -> tuple[Secret, ...]:
    """Every value that no sink may show; one that was not given is none."""
    secrets = (getattr(registration, name) for name in _SECRETS)
    return tuple(each for each in secrets if each.reveal())
