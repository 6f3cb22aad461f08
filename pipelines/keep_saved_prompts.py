"""Saved prompts of a workspace: make, read, list, change, remove and fill them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from domain.access import NotFound, acts_for_a_person
from domain.identity import PromptId, WorkspaceId
from domain.outcome import Failure, Result, Success, failed
from domain.principal import Principal
from domain.saved_prompt import (
    PromptText,
    SavedPrompt,
    Unfillable,
    UnstorablePrompt,
    check,
    fill,
)
from pipelines.authority import sees
from ports.clock import Clock
from ports.ids import Ids
from ports.store import Reader, Store

__all__ = (
    "KeepSavedPrompts",
    "PromptNameTaken",
    "SavedPromptChanged",
    "SavedPromptProblem",
)


@dataclass(frozen=True, slots=True)
class PromptNameTaken:
    """Another saved prompt of the workspace has the name."""

    name: str


@dataclass(frozen=True, slots=True)
class SavedPromptChanged:
    """Somebody stored another version meanwhile; `version` is what is stored now."""

    version: int


SavedPromptProblem: TypeAlias = NotFound | UnstorablePrompt | PromptNameTaken | SavedPromptChanged


@dataclass(frozen=True, slots=True)
class KeepSavedPrompts:
    """People keep them; an agent reads those of its workspace."""

    store: Store
    clock: Clock
    ids: Ids

    async def create(
        self, principal: Principal, workspace: WorkspaceId, written: PromptText
    ) -> Result[SavedPrompt, SavedPromptProblem]:
        if not acts_for_a_person(principal):
            return Failure(NotFound("workspace"))
        checked = check(written)
        if failed(checked):
            return checked
        async with self.store.write() as unit:
            if not await sees(unit, principal, workspace):
                return Failure(NotFound("workspace"))
            if await unit.saved_prompt_named(workspace, written.name) is not None:
                return Failure(PromptNameTaken(written.name))
            made = SavedPrompt(PromptId(self.ids.new("spr")), workspace, written, self.clock.now())
            await unit.add_saved_prompt(made)
        return Success(made)

    async def read(self, principal: Principal, prompt: PromptId) -> Result[SavedPrompt, NotFound]:
        async with self.store.read() as state:
            return await _found(state, principal, prompt)

    async def page(
        self, principal: Principal, workspace: WorkspaceId, after: str | None, limit: int
    ) -> Result[Sequence[SavedPrompt], NotFound]:
        """By id, strictly after `after`."""
        async with self.store.read() as state:
            if not await sees(state, principal, workspace):
                return Failure(NotFound("workspace"))
            return Success(await state.saved_prompts(workspace, after, limit))

    async def update(
        self, principal: Principal, prompt: PromptId, version: int, written: PromptText
    ) -> Result[SavedPrompt, SavedPromptProblem]:
        """Put it in the place of `version`, whole."""
        if not acts_for_a_person(principal):
            return Failure(NotFound("prompt"))
        checked = check(written)
        if failed(checked):
            return checked
        async with self.store.write() as unit:
            found = await _found(unit, principal, prompt)
            if failed(found):
                return found
            before = found.unwrap()
            if before.version != version:
                return Failure(SavedPromptChanged(before.version))
            other = await unit.saved_prompt_named(before.workspace, written.name)
            if other is not None and other.id != before.id:
                return Failure(PromptNameTaken(written.name))
            await unit.save_saved_prompt(replace(before, written=written))
        return Success(replace(before, written=written, version=version + 1))

    async def remove(self, principal: Principal, prompt: PromptId) -> Result[None, NotFound]:
        if not acts_for_a_person(principal):
            return Failure(NotFound("prompt"))
        async with self.store.write() as unit:
            found = await _found(unit, principal, prompt)
            if failed(found):
                return found
            await unit.remove_saved_prompt(prompt)
        return Success(None)

    async def fill(
        self, principal: Principal, workspace: WorkspaceId, name: str, given: Mapping[str, str]
    ) -> Result[tuple[SavedPrompt, str], NotFound | Unfillable]:
        """The prompt of this name, and its text with what was given in its places."""
        async with self.store.read() as state:
            seen = await sees(state, principal, workspace)
            found = await state.saved_prompt_named(workspace, name) if seen else None
        if found is None:
            return Failure(NotFound("prompt"))
        filled = fill(found.written, given)
        return filled if failed(filled) else Success((found, filled.unwrap()))


async def _found(
    state: Reader, principal: Principal, prompt: PromptId
) -> Result[SavedPrompt, NotFound]:
    found = await state.saved_prompt(prompt)
    if found is None or not await sees(state, principal, found.workspace):
        return Failure(NotFound("prompt"))
    return Success(found)
