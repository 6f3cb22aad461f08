"""Connect a workspace as a named account of `gh`, or as an installation of a GitHub App.

Nothing is replaced before a token was had and the forge was read with it.
"""

from dataclasses import dataclass, replace
from typing import TypeAlias

from domain import github_app
from domain.access import NotFound, OwnerOnly
from domain.connection import Connection, Kind
from domain.github_app import AppRegistration
from domain.identity import WorkspaceId
from domain.outcome import Failure, Result, failed
from domain.principal import Principal
from domain.repository import RepositoryIdentity, parse_remote
from domain.secret import Secret
from domain.workspace import Workspace
from pipelines.authority import governed
from pipelines.connect_workspace import ConnectProblem, TokenRefused, probed
from pipelines.replace_connection import ReplaceConnection
from ports.credential_source import CredentialSource, NoCredential
from ports.github_apps import GithubApps
from ports.redactor import Redactor
from ports.store import Store

__all__ = ("AccountProblem", "AccountRequest", "AppRequest", "ConnectAccount", "ConnectApp")

AccountProblem: TypeAlias = ConnectProblem | NoCredential


@dataclass(frozen=True, slots=True)
class AccountRequest:
    """`login` is the account's exact name at the host; `probe` a repository it must read."""

    workspace: WorkspaceId
    host: str
    login: str | None
    certificate_authority: str | None
    probe: str


@dataclass(frozen=True, slots=True)
class AppRequest:
    """`probe` is a repository that the App is installed for."""

    workspace: WorkspaceId
    host: str
    registration: AppRegistration
    certificate_authority: str | None
    probe: str


@dataclass(frozen=True, slots=True)
class ConnectAccount:
    store: Store
    accounts: CredentialSource
    replace: ReplaceConnection
    redactor: Redactor

    async def __call__(
        self, principal: Principal, request: AccountRequest
    ) -> Result[Connection, AccountProblem]:
        host = probed(
            Kind.GH_CLI, request.host, request.login, request.certificate_authority, request.probe
        )
        if failed(host):
            return host
        workspace = await owned(self.store, principal, request.workspace)
        if failed(workspace):
            return workspace
        candidate = self.replace.candidate(
            request.workspace,
            host.unwrap(),
            Kind.GH_CLI,
            request.login,
            request.certificate_authority,
        )
        sourced = await self.accounts(candidate, None, identity_of(request.probe))
        if failed(sourced):
            return sourced
        token = sourced.unwrap().secret
        self.redactor.register(token)
        read = await self.replace.probe(candidate, request.probe, token)
        if failed(read):
            return Failure(TokenRefused(host.unwrap(), read.failure()))
        return await self.replace(principal, candidate, Secret(""))


@dataclass(frozen=True, slots=True)
class ConnectApp:
    store: Store
    apps: GithubApps
    tokens: CredentialSource
    replace: ReplaceConnection
    redactor: Redactor

    async def __call__(
        self, principal: Principal, request: AppRequest
    ) -> Result[Connection, AccountProblem]:
        authority = request.certificate_authority
        host = probed(Kind.GITHUB_APP, request.host, None, authority, request.probe)
        if failed(host):
            return host
        registration = github_app.check(request.registration)
        if failed(registration):
            return registration
        workspace = await owned(self.store, principal, request.workspace)
        if failed(workspace):
            return workspace
        for part in github_app.parts(request.registration):
            self.redactor.register(part)

        identity = identity_of(request.probe)
        introduced = await self.apps.introduce(request.registration, identity, authority)
        if failed(introduced):
            return introduced
        installation = introduced.unwrap()
        secret = github_app.pack(request.registration, installation.id)
        candidate = self.replace.candidate(
            request.workspace, host.unwrap(), Kind.GITHUB_APP, installation.name, authority
        )
        candidate = replace(candidate, account=installation.account)
        minted = await self.tokens(candidate, secret, identity)
        if failed(minted):
            return minted
        self.redactor.register(minted.unwrap().secret)
        read = await self.replace.probe(candidate, request.probe, minted.unwrap().secret)
        if failed(read):
            return Failure(TokenRefused(host.unwrap(), read.failure()))
        return await self.replace(principal, candidate, secret)


async def owned(
    store: Store, principal: Principal, workspace: WorkspaceId
) -> Result[Workspace, NotFound | OwnerOnly]:
    async with store.read() as state:
        return await governed(state, principal, workspace)


def identity_of(probe: str) -> RepositoryIdentity:
    """The repository of a URL that was checked before."""
    return parse_remote(probe).unwrap()
