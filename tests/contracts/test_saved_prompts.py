"""What every store keeps to about saved prompts."""

from collections.abc import AsyncGenerator
from dataclasses import replace
from pathlib import Path

import pytest

from domain.change import PromptsChanged
from domain.identity import PromptId, WorkspaceId
from domain.saved_prompt import PromptArgument, PromptText, SavedPrompt
from ports.store import Store
from tests.contracts.store_examples import NOW, Example, stored
from tests.contracts.stores import KINDS, opened
from tests.fakes.clock import ManualClock
from tests.requirements import requirement

pytestmark = pytest.mark.anyio

EXAMPLE = Example()
WRITTEN = PromptText(
    "review",
    "Größer \N{ROCKET}\n{{what}}",
    "Look",
    (PromptArgument("what", "Which"), PromptArgument("how", required=False)),
)
PROMPT = SavedPrompt(PromptId("spr_a"), EXAMPLE.workspace.id, WRITTEN, NOW)


@pytest.fixture(params=KINDS)
async def store(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncGenerator[Store]:
    async with opened(request, request.param, tmp_path, ManualClock(NOW)) as made:
        await stored(made, EXAMPLE)
        async with made.write() as unit:
            await unit.add_saved_prompt(PROMPT)
        yield made


@requirement("prompt:kept")
async def test_a_prompt_is_found_by_id_by_name_and_in_pages(store: Store) -> None:
    other = replace(PROMPT, id=PromptId("spr_b"), written=replace(WRITTEN, name="other"))
    workspace = PROMPT.workspace
    async with store.write() as unit:
        await unit.add_saved_prompt(other)

    async with store.read() as state:
        assert await state.saved_prompt(PROMPT.id) == PROMPT
        assert await state.saved_prompt(PromptId("unknown")) is None
        assert await state.saved_prompt_named(workspace, "other") == other
        assert await state.saved_prompt_named(WorkspaceId("unknown"), "other") is None
        assert await state.saved_prompts(workspace, None, 1) == [PROMPT]
        assert await state.saved_prompts(workspace, PROMPT.id, 2) == [other]


@requirement("prompt:kept")
async def test_a_prompt_is_changed_by_who_saw_its_newest_version(store: Store) -> None:
    changed = replace(PROMPT, written=PromptText("again", "Again."))
    async with store.write() as unit:
        assert await unit.save_saved_prompt(changed)
        assert not await unit.save_saved_prompt(PROMPT)

    async with store.read() as state:
        assert await state.saved_prompt(PROMPT.id) == replace(changed, version=1)


@requirement("prompt:kept")
@requirement("prompt:changes")
async def test_a_prompt_goes_with_its_workspace_and_each_change_is_told(store: Store) -> None:
    other = replace(PROMPT, id=PromptId("spr_b"), written=replace(WRITTEN, name="other"))
    with store.follow() as following:
        async with store.write() as unit:
            await unit.add_saved_prompt(other)
        added = await following()
        async with store.write() as unit:
            await unit.save_saved_prompt(other)
        saved = await following()
        async with store.write() as unit:
            assert await unit.remove_saved_prompt(other.id)
            assert not await unit.remove_saved_prompt(other.id)
        removed = await following()

    assert [list(each) for each in (added, saved, removed)] == [
        [PromptsChanged(PROMPT.workspace)]
    ] * 3
    async with store.write() as unit:
        await unit.remove_task(EXAMPLE.task.id)
        await unit.remove_workspace(PROMPT.workspace)
        assert await unit.saved_prompt(PROMPT.id) is None
