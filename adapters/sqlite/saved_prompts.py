"""Saved prompts, changed only by whoever saw their newest version."""

import json
from collections.abc import Sequence

from sqlalchemy import select, update

from adapters.sqlite.columns import from_text, to_text
from adapters.sqlite.connection import Row
from adapters.sqlite.statement import given, place, remove
from adapters.sqlite.tables import table
from adapters.sqlite.unit import Unit
from adapters.sqlite.word_tables import SavedPromptRow
from domain.change import PromptsChanged
from domain.identity import PromptId, WorkspaceId
from domain.saved_prompt import PromptArgument, PromptText, SavedPrompt

__all__ = ("SavedPromptReads", "SavedPromptWrites")

_PROMPTS = table(SavedPromptRow)
_PROMPT = _PROMPTS.c
_ONE = select(_PROMPTS).where(_PROMPT.id == given("id"))
_NAMED = select(_PROMPTS).where(
    _PROMPT.workspace_id == given("workspace"), _PROMPT.name == given("name")
)
_PAGE = (
    select(_PROMPTS)
    .where(_PROMPT.workspace_id == given("workspace"), _PROMPT.id > given("after"))
    .order_by(_PROMPT.id)
    .limit(given("limit"))
)
_ADD = place(SavedPromptRow)
_SAVE = (
    update(_PROMPTS)
    .where(_PROMPT.id == given("id"), _PROMPT.version == given("seen"))
    .values(
        name=given("name"),
        description=given("description"),
        text=given("text"),
        arguments=given("arguments"),
        version=_PROMPT.version + 1,
    )
)
_REMOVE = remove(SavedPromptRow)


class SavedPromptReads(Unit):
    __slots__ = ()

    async def saved_prompt(self, prompt: PromptId) -> SavedPrompt | None:
        row = await self._on.one(_ONE, {"id": prompt})
        return None if row is None else _prompt(row)

    async def saved_prompt_named(self, workspace: WorkspaceId, name: str) -> SavedPrompt | None:
        row = await self._on.one(_NAMED, {"workspace": workspace, "name": name})
        return None if row is None else _prompt(row)

    async def saved_prompts(
        self, workspace: WorkspaceId, after: str | None, limit: int
    ) -> Sequence[SavedPrompt]:
        values = {"workspace": workspace, "after": after or "", "limit": limit}
        return [_prompt(row) for row in await self._on.rows(_PAGE, values)]


class SavedPromptWrites(SavedPromptReads):
    __slots__ = ()

    async def add_saved_prompt(self, prompt: SavedPrompt) -> None:
        values = {
            "id": prompt.id,
            "workspace_id": prompt.workspace,
            "created_at": to_text(prompt.created_at),
            "version": prompt.version,
            **_written(prompt.written),
        }
        await self._run(_ADD, values)
        self._note(PromptsChanged(prompt.workspace))

    async def save_saved_prompt(self, prompt: SavedPrompt) -> bool:
        values = {"id": prompt.id, "seen": prompt.version, **_written(prompt.written)}
        if await self._run(_SAVE, values) != 1:
            return False
        self._note(PromptsChanged(prompt.workspace))
        return True

    async def remove_saved_prompt(self, prompt: PromptId) -> bool:
        found = await self.saved_prompt(prompt)
        if found is None:
            return False
        await self._run(_REMOVE, {"id": prompt})
        self._note(PromptsChanged(found.workspace))
        return True


def _written(written: PromptText) -> dict[str, object]:
    arguments = [[each.name, each.description, each.required] for each in written.arguments]
    return {
        "name": written.name,
        "description": written.description,
        "text": written.text,
        "arguments": json.dumps(arguments),
    }


def _prompt(row: Row) -> SavedPrompt:
    key, workspace, name, description, text, arguments, created, version = row
    written = PromptText(
        name, text, description, tuple(PromptArgument(*each) for each in json.loads(arguments))
    )
    return SavedPrompt(PromptId(key), WorkspaceId(workspace), written, from_text(created), version)
