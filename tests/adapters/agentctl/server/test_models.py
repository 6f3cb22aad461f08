"""The model and the system prompt of a profile, as an agent is told of them."""

import json
from pathlib import Path

import pytest

from ports.runtime import RuntimeCode
from tests.adapters.agentctl.server.conftest import House, watch
from tests.requirements import requirement

pytestmark = pytest.mark.anyio


@requirement("profile:model")
@pytest.mark.parametrize("loaded", [False, True], ids=["begun", "loaded"])
async def test_an_agent_is_asked_for_the_model_that_it_offers(
    house: House, tmp_path: Path, loaded: bool
) -> None:
    chosen = tmp_path / "chosen"
    options = ("models=two", f"chosen={chosen}", *(["load=replay"] if loaded else []))

    instance = await house.launch(*options, model="large", acp_session="s1" if loaded else None)
    await instance.stop()

    assert json.loads(chosen.read_text(encoding="utf-8")) == ["s1", "m", "large"]
    assert not [each for each in await watch(instance) if each.body.get("status") == "warning"]


@requirement("profile:model")
async def test_the_model_that_an_agent_works_with_already_is_not_asked_for(
    house: House, tmp_path: Path
) -> None:
    await house.launch("models=two", f"chosen={tmp_path / 'chosen'}", model="small")

    assert not (tmp_path / "chosen").exists()


@requirement("profile:model")
@pytest.mark.parametrize(
    ("options", "reason"), [(["models=two"], "not_offered"), ([], "no_choice")]
)
async def test_an_agent_without_the_model_works_with_its_own_and_that_is_said(
    house: House, options: list[str], reason: str
) -> None:
    instance = await house.launch(*options, model="huge")
    await instance.stop()

    warnings = [each.body for each in await watch(instance) if each.body["status"] == "warning"]
    assert warnings == [{"status": "warning", "code": "model", "model": "huge", "reason": reason}]


@requirement("profile:model")
async def test_an_agent_that_refuses_the_model_that_it_offers_does_not_start(house: House) -> None:
    refused = (await house.create("models=stuck", model="large")).failure()

    assert refused.code is RuntimeCode.AGENT_REFUSED
    assert "session/set_config_option" in refused.detail
    assert house.instances.all() == []


@requirement("profile:prompt")
@pytest.mark.parametrize("session", [None, "s1"], ids=["begun", "loaded"])
@pytest.mark.parametrize("prompt", ["Be brief.", None])
async def test_a_system_prompt_is_given_with_the_conversation(
    house: House, tmp_path: Path, prompt: str | None, session: str | None
) -> None:
    told = tmp_path / "told"

    await house.launch(f"told={told}", "load=replay", system_prompt=prompt, acp_session=session)

    wanted = {"systemPrompt": {"append": prompt}} if prompt else None
    assert json.loads(told.read_text(encoding="utf-8")) == wanted
