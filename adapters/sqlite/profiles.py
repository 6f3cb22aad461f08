"""Profiles with their variables, changed only by whoever saw their newest version."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from sqlalchemy import select, update

from adapters.sqlite.columns import from_json, from_text, members, to_json, to_text
from adapters.sqlite.connection import Row
from adapters.sqlite.statement import given, place, remove
from adapters.sqlite.tables import ProfileRow, table
from adapters.sqlite.unit import Unit
from adapters.sqlite.variables import OF_PROFILE, environment_of, rows_of
from domain.event import Json
from domain.execution import ExecutorType
from domain.identity import ProfileId, WorkspaceId
from domain.mcp_server import McpServer, McpTransport
from domain.profile import AgentChoice, ExecutorChoice, Profile, ProfileChoice, ProfileKind

__all__ = ("ProfileReads", "ProfileWrites")

_KINDS = members(ProfileKind)
_PROFILES = table(ProfileRow)
_PROFILE = _PROFILES.c
_ONE = select(_PROFILES).where(_PROFILE.id == given("id"))
_PAGE = (
    select(_PROFILES)
    .where(
        _PROFILE.workspace_id == given("workspace"),
        _PROFILE.kind == given("kind"),
        _PROFILE.id > given("after"),
    )
    .order_by(_PROFILE.id)
    .limit(given("limit"))
)
_NAMED = select(_PROFILES).where(
    _PROFILE.workspace_id == given("workspace"),
    _PROFILE.kind == given("kind"),
    _PROFILE.name == given("name"),
)
_ADD = place(ProfileRow)
_SAVE = (
    update(_PROFILES)
    .where(_PROFILE.id == given("id"), _PROFILE.version == given("seen"))
    .values(name=given("name"), choice=given("choice"), version=_PROFILE.version + 1)
)
_REMOVE = remove(ProfileRow)


class ProfileReads(Unit):
    __slots__ = ()

    async def profile(self, profile: ProfileId) -> Profile | None:
        row = await self._on.one(_ONE, {"id": profile})
        return None if row is None else await self._profile(row)

    async def profile_named(
        self, workspace: WorkspaceId, kind: ProfileKind, name: str
    ) -> Profile | None:
        values = {"workspace": workspace, "kind": kind.value, "name": name}
        row = await self._on.one(_NAMED, values)
        return None if row is None else await self._profile(row)

    async def profiles(
        self, workspace: WorkspaceId, kind: ProfileKind, after: str | None, limit: int
    ) -> Sequence[Profile]:
        values = {"workspace": workspace, "kind": kind.value, "after": after or "", "limit": limit}
        return [await self._profile(row) for row in await self._on.rows(_PAGE, values)]

    async def _profile(self, row: Row) -> Profile:
        key, workspace, kind, name, choice, created, version = row
        return Profile(
            ProfileId(key),
            WorkspaceId(workspace),
            name,
            _choice(_KINDS[kind], from_json(choice)),
            environment_of(await self._on.rows(OF_PROFILE.read, {"owner": key})),
            from_text(created),
            version,
        )


class ProfileWrites(ProfileReads):
    __slots__ = ()

    async def add_profile(self, profile: Profile) -> None:
        values = {
            "id": profile.id,
            "workspace_id": profile.workspace,
            "kind": profile.kind.value,
            "name": profile.name,
            "choice": to_json(asdict(profile.choice)),
            "created_at": to_text(profile.created_at),
            "version": profile.version,
        }
        await self._run(_ADD, values)
        await self._run_many(OF_PROFILE.add, rows_of(OF_PROFILE, profile.id, profile.environment))

    async def save_profile(self, profile: Profile) -> bool:
        values = {
            "id": profile.id,
            "name": profile.name,
            "choice": to_json(asdict(profile.choice)),
            "seen": profile.version,
        }
        if await self._run(_SAVE, values) != 1:
            return False
        await self._run(OF_PROFILE.clear, {"owner": profile.id})
        await self._run_many(OF_PROFILE.add, rows_of(OF_PROFILE, profile.id, profile.environment))
        return True

    async def remove_profile(self, profile: ProfileId) -> bool:
        return await self._run(_REMOVE, {"id": profile}) == 1


def _choice(kind: ProfileKind, stored: Json) -> ProfileChoice:
    if kind is ProfileKind.EXECUTOR:
        return ExecutorChoice(ExecutorType(str(stored["executor"])))
    fields: dict[str, Any] = dict(stored)  # as `asdict` wrote them
    servers = tuple(map(_server, fields.pop("mcp_servers")))
    return AgentChoice(**fields, mcp_servers=servers)


def _server(stored: Mapping[str, Any]) -> McpServer:
    return McpServer(
        name=stored["name"],
        transport=McpTransport(stored["transport"]),
        command=stored["command"],
        arguments=tuple(stored["arguments"]),
        variables=tuple(stored["variables"]),
        url=stored["url"],
        headers=dict(stored["headers"]),
    )
