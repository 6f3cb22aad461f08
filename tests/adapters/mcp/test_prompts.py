"""Saved prompts through a client of the protocol, at both doors."""

import asyncio

import pytest
from mcp import Client, MCPError
from mcp.client.subscriptions import PromptsListChanged

from adapters.mcp.wanted import Wanted
from domain.change import PromptsChanged
from domain.identity import WorkspaceId
from domain.outcome import failed
from domain.saved_prompt import PromptArgument, PromptText
from domain.tool_bounds import MAX_ROWS
from tests.adapters.mcp.conftest import Tools, agent_of, tools_for
from tests.pipelines.plane import OWNER, Plane
from tests.requirements import requirement

pytestmark = pytest.mark.anyio

REVIEW = PromptText(
    "review",
    "Review {{what}}.{{how}}",
    "Look at work",
    (PromptArgument("what", "Which work"), PromptArgument("how", required=False)),
)


async def saved(plane: Plane, workspace: WorkspaceId, written: PromptText = REVIEW) -> str:
    prompt = (await plane.api.saved_prompts.create(OWNER, workspace, written)).unwrap()
    return str(prompt.id)


async def every_name(client: Client) -> list[str]:
    found: list[str] = []
    cursor: str | None = None
    while True:
        page = await client.list_prompts(cursor=cursor, cache_mode="bypass")
        found += [each.name for each in page.prompts]
        cursor = page.next_cursor
        if cursor is None:
            return found


async def filled(client: Client, name: str, **given: str) -> str:
    (message,) = (await client.get_prompt(name, given)).messages
    assert message.role == "user"
    return str(message.content.text)  # type: ignore[union-attr]  # always text


async def refusal(client: Client, name: str, **given: str) -> str:
    with pytest.raises(MCPError) as caught:
        await client.get_prompt(name, given)
    return str(caught.value)


@requirement("prompt:offered")
async def test_both_doors_offer_and_fill_a_saved_prompt(plane: Plane) -> None:
    session = await plane.running()
    async with plane.store.read() as state:
        task = await state.task(session.task)
    assert task is not None
    await saved(plane, task.workspace)

    for principal in (OWNER, agent_of(session)):
        async with tools_for(plane, principal) as tools:
            (offered,) = (await tools.client.list_prompts()).prompts

            assert (offered.name, offered.description) == ("review", "Look at work")
            assert [
                (each.name, each.description, each.required) for each in offered.arguments or ()
            ] == [("what", "Which work", True), ("how", None, False)]
            assert await filled(tools.client, "review", what="{{how}}") == "Review {{how}}."
            assert await refusal(tools.client, "review") == (
                "missing_argument: the prompt needs what."
            )
            unknown = await refusal(tools.client, "review", what="x", hunter2="x")
            assert unknown.startswith("unknown_argument: ")
            assert "hunter2" not in unknown


@requirement("prompt:offered")
async def test_a_name_that_two_workspaces_have_is_told_apart(plane: Plane) -> None:
    session = await plane.running()
    async with plane.store.read() as state:
        task = await state.task(session.task)
    assert task is not None
    other = await plane.workspace()
    await saved(plane, task.workspace)
    await saved(plane, other, PromptText("review", "Other."))
    await saved(plane, other, PromptText("mend", "Mend."))

    async with tools_for(plane, OWNER) as tools:
        assert sorted(await every_name(tools.client)) == sorted([
            f"review.{task.workspace}",
            f"review.{other}",
            f"mend.{other}",
        ])
        assert await filled(tools.client, f"review.{other}") == "Other."
        assert await filled(tools.client, "mend") == "Mend."
        assert (await refusal(tools.client, "review")).startswith("prompt_not_found: ")
    async with tools_for(plane, agent_of(session)) as tools:
        assert await every_name(tools.client) == ["review"]
        assert await filled(tools.client, "review", what="it") == "Review it."
        foreign = await refusal(tools.client, f"mend.{other}")
        assert foreign == await refusal(tools.client, "mend.unknown")
        assert foreign == await refusal(tools.client, "unknown")


@requirement("prompt:offered")
async def test_pages_of_prompts_lose_nothing_and_repeat_nothing(tools: Tools) -> None:
    workspace = await tools.plane.workspace()
    await tools.plane.workspace()
    names = [f"prompt-{number}" for number in range(MAX_ROWS + 1)]
    for name in names:
        await saved(tools.plane, workspace, PromptText(name, "Do it."))

    assert sorted(await every_name(tools.client)) == sorted(f"{each}.{workspace}" for each in names)


@requirement("prompt:changes")
async def test_a_client_is_told_when_a_prompt_came_changed_or_went(plane: Plane) -> None:
    session = await plane.running()
    async with plane.store.read() as state:
        task = await state.task(session.task)
    assert task is not None
    keep = plane.api.saved_prompts

    for principal in (OWNER, agent_of(session)):
        async with (
            tools_for(plane, principal) as tools,
            tools.client.listen(prompts_list_changed=True) as told,
            asyncio.timeout(60),
        ):
            made = (await keep.create(OWNER, task.workspace, REVIEW)).unwrap()
            assert await anext(told) == PromptsListChanged()
            assert not failed(await keep.update(OWNER, made.id, 0, PromptText("review", "Anew.")))
            assert await anext(told) == PromptsListChanged()
            await keep.remove(OWNER, made.id)
            assert await anext(told) == PromptsListChanged()


@requirement("prompt:offered")
async def test_an_agent_keeps_no_prompts(plane: Plane) -> None:
    session = await plane.running()
    async with plane.store.read() as state:
        task = await state.task(session.task)
    assert task is not None
    agent = agent_of(session)
    keep = plane.api.saved_prompts
    made = (await keep.create(OWNER, task.workspace, REVIEW)).unwrap()

    refused = [
        await keep.create(agent, task.workspace, PromptText("mine", "Mine.")),
        await keep.update(agent, made.id, 0, PromptText("mine", "Mine.")),
        await keep.remove(agent, made.id),
    ]

    assert all(failed(each) for each in refused)
    assert (await keep.read(agent, made.id)).unwrap() == made


@requirement("prompt:changes")
async def test_an_agent_is_told_of_the_prompts_of_its_workspace_alone(plane: Plane) -> None:
    session = await plane.running()
    async with plane.store.read() as state:
        task = await state.task(session.task)
    assert task is not None
    other = await plane.workspace()
    wanted = Wanted(agent_of(session), prompts=True)
    backend = plane.container.tools()

    assert await wanted.events(backend, [PromptsChanged(other)]) == ()
    assert await wanted.events(backend, [PromptsChanged(task.workspace)]) == (PromptsListChanged(),)
