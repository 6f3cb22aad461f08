"""Installation tokens of GitHub Apps: one repository each, in memory, renewed before they expire.

At most one token is minted at a time for a connection; whoever asks meanwhile waits for it.
"""

import asyncio
import ssl
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final

import httpx2
from typing_extensions import override

from adapters.github.proof import proof
from domain import github_app
from domain.connection import Connection, check_secret
from domain.github_app import AppInstallation, AppRegistration
from domain.identity import ConnectionId
from domain.outcome import Failure, Result, Success, failed
from domain.repository import RepositoryIdentity
from domain.secret import Secret
from ports.clock import Clock
from ports.credential_source import CredentialSource, NoCredential, SourcedCredential, SourceFault
from ports.github_apps import GithubApps

__all__ = ("MAX_INSTALLATIONS", "HttpGithubApps")

MAX_INSTALLATIONS: Final = 256
"""Connections whose tokens are kept at once; the one asked for longest ago goes first."""
ANSWER_SECONDS: Final = 20.0
"""For one answer of the API."""

_HEADERS: Final = {
    "accept": "application/vnd.github+json",
    "x-github-api-version": "2022-11-28",
    "user-agent": "kandev",
}
_REFUSED: Final = Failure(NoCredential(SourceFault.REFUSED))
_UNREACHABLE: Final = Failure(NoCredential(SourceFault.UNREACHABLE))


@dataclass(slots=True)
class _Installation:
    mint: asyncio.Lock = field(default_factory=asyncio.Lock)
    revision: int = -1
    tokens: dict[RepositoryIdentity, SourcedCredential] = field(default_factory=dict)


class HttpGithubApps(GithubApps, CredentialSource):
    """`base` gives the root of the API for a host."""

    def __init__(self, clock: Clock, base: Callable[[str], str] = github_app.api_base) -> None:
        self._clock = clock
        self._base = base
        self._installations: dict[ConnectionId, _Installation] = {}

    @override
    async def introduce(
        self,
        registration: AppRegistration,
        repository: RepositoryIdentity,
        certificate_authority: str | None,
    ) -> Result[AppInstallation, NoCredential]:
        asked = (registration, repository.host, certificate_authority)
        app = await self._ask("GET", "/app", *asked)
        if failed(app):
            return app
        found = await self._ask("GET", f"/repos{repository.path}/installation", *asked)
        if failed(found):
            return found
        match app.unwrap(), found.unwrap():
            case {"name": str(name)}, {"id": int(number), "account": {"login": str(account)}}:
                return Success(AppInstallation(number, name, account))
            case _:
                return _REFUSED

    @override
    async def __call__(
        self, connection: Connection, stored: Secret | None, identity: RepositoryIdentity
    ) -> Result[SourcedCredential, NoCredential]:
        known = github_app.unpack(stored) if stored else None
        if known is None:
            return Failure(NoCredential(SourceFault.SEALED))
        installation = self._installation(connection)
        async with installation.mint:
            kept = installation.tokens.get(identity)
            now = self._clock.now()
            if kept is not None and kept.expires and now < github_app.refresh_at(kept.expires):
                return Success(kept)
            installation.tokens.pop(identity, None)
            minted = await self._mint(*known, identity, connection.certificate_authority)
            if not failed(minted) and installation.revision == connection.revision:
                installation.tokens[identity] = minted.unwrap()
            return minted

    def _installation(self, connection: Connection) -> _Installation:
        installation = self._installations.pop(connection.id, None)
        if installation is None or installation.revision != connection.revision:
            installation = _Installation(revision=connection.revision)
        self._installations[connection.id] = installation
        while len(self._installations) > MAX_INSTALLATIONS:
            del self._installations[next(iter(self._installations))]
        return installation

    async def _mint(
        self,
        registration: AppRegistration,
        number: int,
        identity: RepositoryIdentity,
        certificate_authority: str | None,
    ) -> Result[SourcedCredential, NoCredential]:
        answered = await self._ask(
            "POST",
            f"/app/installations/{number}/access_tokens",
            registration,
            identity.host,
            certificate_authority,
            {"repositories": [identity.path.rpartition("/")[2]]},
        )
        if failed(answered):
            return answered
        match answered.unwrap():
            case {"token": str(token), "expires_at": str(expires)}:
                checked, moment = check_secret(Secret(token)), _moment(expires)
                if failed(checked) or moment is None:
                    return _REFUSED
                return Success(SourcedCredential(checked.unwrap(), moment))
            case _:
                return _REFUSED

    async def _ask(
        self,
        method: str,
        path: str,
        registration: AppRegistration,
        host: str,
        certificate_authority: str | None,
        body: dict[str, Any] | None = None,  # the API's own JSON
    ) -> Result[object, NoCredential]:
        shown = proof(registration, self._clock.now())
        if shown is None:
            return _REFUSED
        headers = {**_HEADERS, "authorization": f"Bearer {shown.reveal()}"}
        trust = ssl.create_default_context()
        if certificate_authority is not None:
            trust.load_verify_locations(cadata=certificate_authority)
        try:
            async with httpx2.AsyncClient(verify=trust, timeout=ANSWER_SECONDS) as http:
                answer = await http.request(
                    method, f"{self._base(host)}{path}", headers=headers, json=body
                )
            if answer.status_code >= 500:
                return _UNREACHABLE
            return _REFUSED if answer.status_code >= 300 else Success(answer.json())
        except httpx2.HTTPError:
            return _UNREACHABLE
        except ValueError:
            return _REFUSED


def _moment(text: str) -> datetime | None:
    """RFC 3339, as GitHub writes it; a time without an offset could be any."""
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return None
    return moment if moment.tzinfo is not None else None
