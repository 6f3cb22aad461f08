"""Routes of workspaces, their connections, their repositories and their policy."""

from typing import Annotated

import msgspec
from litestar import Controller, delete, get, post, put
from litestar.di import NamedDependency
from litestar.params import FromPath, FromQuery, JSONBody, QueryParameter, SkipValidation

from adapters.http.api import Api
from adapters.http.problems import RefusalError, accepted
from adapters.http.repositories import RepositorySettingsChange
from adapters.http.shapes import ConnectionBody, RepositoryBody, SettingsBody, WorkspaceBody
from domain.access import NotFound
from domain.connection import Fault, InvalidConnection, Kind
from domain.github_app import AppRegistration
from domain.identity import ConnectionId, WorkspaceId
from domain.principal import Principal
from domain.repository_settings import RepositorySettings, SettingsChange, change, check
from domain.secret import Secret
from pipelines.authority import holds, workspace_for, workspaces_for
from pipelines.connect_account import AccountRequest, AppRequest
from pipelines.connect_workspace import ConnectRequest

__all__ = ("Settings", "Workspaces")

PAGE = 100
"""Rows of a list at most; `after` continues behind the last id."""

Limit = Annotated[int, QueryParameter(ge=1, le=PAGE)]


class NewWorkspace(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    name: str
    task_git_credentials_mode: str | None = None


class NewConnection(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`probe_url`: an HTTPS clone URL on the host, which the token must be able to read."""

    host: str
    token: str
    probe_url: str
    method: str | None = None
    login: str | None = None
    certificate_authority: str | None = None


class NewAccount(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`login` is the exact account at the host; which one `gh` has active does not matter."""

    host: str
    login: str
    probe_url: str
    certificate_authority: str | None = None


class NewApp(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`private_key` in PEM; `probe_url` names a repository that the App is installed for."""

    host: str
    app_id: int
    private_key: str
    probe_url: str
    client_secret: str = ""
    webhook_secret: str = ""
    certificate_authority: str | None = None


class NewRepository(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Exactly one of the two: a clone URL, or the absolute path of a repository here."""

    clone_url: str | None = None
    local_path: str | None = None
    settings: RepositorySettingsChange | None = None

    def __post_init__(self) -> None:
        if (self.clone_url is None) == (self.local_path is None):
            raise ValueError("exactly one of clone_url and local_path is needed")


class SettingsUpdate(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    workspace_id: str
    task_git_credentials_mode: str | None = None
    accept_ambient_netrc: bool | None = None


class SettingsCopy(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    targetWorkspaceId: str  # noqa: N815 -- the name on the wire


class Workspaces(Controller):
    path = "/api/v1/workspaces"
    tags = ("workspaces",)

    @post()
    async def create(
        self,
        data: JSONBody[NewWorkspace],
        api: NamedDependency[Api],
        principal: NamedDependency[SkipValidation[Principal]],
    ) -> WorkspaceBody:
        outcome = await api.register_workspace(principal, data.name, data.task_git_credentials_mode)
        return WorkspaceBody.of(accepted(outcome))

    @get()
    async def list_all(
        self,
        api: NamedDependency[Api],
        principal: NamedDependency[SkipValidation[Principal]],
        after: FromQuery[str | None] = None,
        limit: Limit = PAGE,
    ) -> list[WorkspaceBody]:
        async with api.store.read() as state:
            found = await workspaces_for(state, principal, after, limit)
        return [WorkspaceBody.of(each) for each in found]

    @get("/{workspace_id:str}")
    async def show(
        self,
        workspace_id: FromPath[str],
        api: NamedDependency[Api],
        principal: NamedDependency[SkipValidation[Principal]],
    ) -> WorkspaceBody:
        async with api.store.read() as state:
            found = await workspace_for(state, principal, WorkspaceId(workspace_id))
        if found is None:
            raise RefusalError(NotFound("workspace"))
        return WorkspaceBody.of(found)

    @delete("/{workspace_id:str}")
    async def remove(
        self,
        workspace_id: FromPath[str],
        api: NamedDependency[Api],
        principal: NamedDependency[SkipValidation[Principal]],
    ) -> None:
        """Delete a workspace with its tasks, connections and secrets."""
        accepted(await api.delete_workspace(principal, WorkspaceId(workspace_id)))

    @put("/{workspace_id:str}/connections")
    async def connect(
        self,
        workspace_id: FromPath[str],
        data: JSONBody[NewConnection],
        api: NamedDependency[Api],
        principal: NamedDependency[SkipValidation[Principal]],
    ) -> ConnectionBody:
        """Validate a token against the forge, then replace the connection to its host."""
        kind = next((each for each in Kind if each.value == data.method), None)
        if data.method is not None and kind is None:
            raise RefusalError(InvalidConnection(Fault.METHOD))
        request = ConnectRequest(
            workspace=WorkspaceId(workspace_id),
            host=data.host,
            kind=kind,
            login=data.login,
            token=Secret(data.token),
            certificate_authority=data.certificate_authority,
            probe=data.probe_url,
        )
        return ConnectionBody.of(accepted(await api.connect(principal, request)))

    @put("/{workspace_id:str}/connections/gh-account")
    async def connect_account(
        self,
        workspace_id: FromPath[str],
        data: JSONBody[NewAccount],
        api: NamedDependency[Api],
        principal: NamedDependency[SkipValidation[Principal]],
    ) -> ConnectionBody:
        """Use an account that `gh` is signed in to here; its token is asked for when it is used."""
        request = AccountRequest(
            WorkspaceId(workspace_id),
            data.host,
            data.login,
            data.certificate_authority,
            data.probe_url,
        )
        return ConnectionBody.of(accepted(await api.connect_account(principal, request)))

    @put("/{workspace_id:str}/connections/github-app")
    async def connect_app(
        self,
        workspace_id: FromPath[str],
        data: JSONBody[NewApp],
        api: NamedDependency[Api],
        principal: NamedDependency[SkipValidation[Principal]],
    ) -> ConnectionBody:
        """Import a GitHub App; a token for one repository is minted when it is used."""
        request = AppRequest(
            WorkspaceId(workspace_id),
            data.host,
            AppRegistration(
                data.app_id,
                Secret(data.private_key),
                Secret(data.client_secret),
                Secret(data.webhook_secret),
            ),
            data.certificate_authority,
            data.probe_url,
        )
        return ConnectionBody.of(accepted(await api.connect_app(principal, request)))

    @get("/{workspace_id:str}/connections")
    async def connections(
        self,
        workspace_id: FromPath[str],
        api: NamedDependency[Api],
        principal: NamedDependency[SkipValidation[Principal]],
        after: FromQuery[str | None] = None,
        limit: Limit = PAGE,
    ) -> list[ConnectionBody]:
        async with api.store.read() as state:
            if not await holds(state, principal, WorkspaceId(workspace_id)):
                raise RefusalError(NotFound("workspace"))
            found = await state.connections(WorkspaceId(workspace_id), after, limit)
        return [ConnectionBody.of(each) for each in found]

    @delete("/{workspace_id:str}/connections/{connection_id:str}")
    async def disconnect(
        self,
        workspace_id: FromPath[str],
        connection_id: FromPath[str],
        api: NamedDependency[Api],
        principal: NamedDependency[SkipValidation[Principal]],
    ) -> None:
        accepted(
            await api.disconnect(principal, WorkspaceId(workspace_id), ConnectionId(connection_id))
        )

    @post("/{workspace_id:str}/repositories")
    async def register(
        self,
        workspace_id: FromPath[str],
        data: JSONBody[NewRepository],
        api: NamedDependency[Api],
        principal: NamedDependency[SkipValidation[Principal]],
    ) -> RepositoryBody:
        """Register it with its settings; what is not valid in them registers nothing."""
        workspace = WorkspaceId(workspace_id)
        register = api.register_repository
        wanted = data.settings.change() if data.settings is not None else SettingsChange()
        accepted(check(change(RepositorySettings(), wanted)))
        if data.clone_url is not None:
            outcome = await register.by_url(principal, workspace, data.clone_url)
        else:
            outcome = await register.by_path(principal, workspace, data.local_path or "")
        registered = accepted(outcome)
        if data.settings is not None:
            accepted(await api.change_repository(principal, registered.id, wanted))
        return RepositoryBody.of(registered)

    @get("/{workspace_id:str}/repositories")
    async def repositories(
        self,
        workspace_id: FromPath[str],
        api: NamedDependency[Api],
        principal: NamedDependency[SkipValidation[Principal]],
        after: FromQuery[str | None] = None,
        limit: Limit = PAGE,
    ) -> list[RepositoryBody]:
        async with api.store.read() as state:
            if not await holds(state, principal, WorkspaceId(workspace_id)):
                raise RefusalError(NotFound("workspace"))
            found = await state.repositories(WorkspaceId(workspace_id), after, limit)
        return [RepositoryBody.of(each) for each in found]


class Settings(Controller):
    path = "/api/v1/github/workspace-settings"
    tags = ("workspaces",)

    @get()
    async def show(
        self,
        workspace_id: FromQuery[str],
        api: NamedDependency[Api],
        principal: NamedDependency[SkipValidation[Principal]],
    ) -> SettingsBody:
        outcome = await api.workspace_settings.read(principal, WorkspaceId(workspace_id))
        return SettingsBody.of(workspace_id, accepted(outcome))

    @put()
    async def update(
        self,
        data: JSONBody[SettingsUpdate],
        api: NamedDependency[Api],
        principal: NamedDependency[SkipValidation[Principal]],
    ) -> SettingsBody:
        """Absent fields stay as they are; an unknown policy changes nothing."""
        outcome = await api.workspace_settings.update(
            principal,
            WorkspaceId(data.workspace_id),
            data.task_git_credentials_mode,
            data.accept_ambient_netrc,
        )
        return SettingsBody.of(data.workspace_id, accepted(outcome))

    @post("/copy", status_code=200)
    async def copy(
        self,
        workspace_id: FromQuery[str],
        data: JSONBody[SettingsCopy],
        api: NamedDependency[Api],
        principal: NamedDependency[SkipValidation[Principal]],
    ) -> SettingsBody:
        """Copy the policy to another workspace; connections and secrets stay."""
        outcome = await api.workspace_settings.copy(
            principal, WorkspaceId(workspace_id), WorkspaceId(data.targetWorkspaceId)
        )
        return SettingsBody.of(data.targetWorkspaceId, accepted(outcome))
