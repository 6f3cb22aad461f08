"""Routes of saved prompts: texts of a workspace that its clients offer to their users."""

from datetime import datetime
from typing import Annotated

from litestar import Controller, delete, get, post, put
from litestar.di import NamedDependency
from litestar.params import FromPath, FromQuery, JSONBody, QueryParameter, SkipValidation
from msgspec import Struct

from adapters.http.api import Api
from adapters.http.problems import accepted
from domain.identity import PromptId, WorkspaceId
from domain.principal import Principal
from domain.saved_prompt import PromptArgument, PromptText, SavedPrompt

__all__ = ("SavedPrompts",)

PAGE = 100
"""Rows of a list at most; `after` continues behind the last id."""


class ArgumentBody(Struct, frozen=True, forbid_unknown_fields=True):
    """It fills the places `{{name}}` of the text."""

    name: str
    description: str = ""
    required: bool = True


class WrittenPrompt(Struct, frozen=True, forbid_unknown_fields=True):
    name: str
    text: str
    description: str = ""
    arguments: list[ArgumentBody] = []

    def written(self) -> PromptText:
        arguments = (
            PromptArgument(each.name, each.description, each.required) for each in self.arguments
        )
        return PromptText(self.name, self.text, self.description, tuple(arguments))


class NewPrompt(WrittenPrompt, frozen=True, kw_only=True):
    workspace_id: str


class PromptUpdate(WrittenPrompt, frozen=True, kw_only=True):
    """The whole prompt anew, with the version that was read."""

    version: int


class PromptBody(Struct, frozen=True):
    id: str
    workspace_id: str
    name: str
    description: str
    text: str
    arguments: list[ArgumentBody]
    version: int
    created_at: datetime

    @classmethod
    def of(cls, prompt: SavedPrompt) -> "PromptBody":
        written = prompt.written
        return cls(
            prompt.id,
            prompt.workspace,
            written.name,
            written.description,
            written.text,
            [
                ArgumentBody(each.name, each.description, each.required)
                for each in written.arguments
            ],
            prompt.version,
            prompt.created_at,
        )


class SavedPrompts(Controller):
    path = "/api/v1/prompts"
    tags = ("prompts",)

    @post()
    async def create(
        self,
        data: JSONBody[NewPrompt],
        api: NamedDependency[Api],
        principal: NamedDependency[SkipValidation[Principal]],
    ) -> PromptBody:
        workspace = WorkspaceId(data.workspace_id)
        return PromptBody.of(
            accepted(await api.saved_prompts.create(principal, workspace, data.written()))
        )

    @get()
    async def list_all(
        self,
        workspace_id: FromQuery[str],
        api: NamedDependency[Api],
        principal: NamedDependency[SkipValidation[Principal]],
        after: FromQuery[str | None] = None,
        limit: Annotated[int, QueryParameter(ge=1, le=PAGE)] = PAGE,
    ) -> list[PromptBody]:
        page = await api.saved_prompts.page(principal, WorkspaceId(workspace_id), after, limit)
        return [PromptBody.of(each) for each in accepted(page)]

    @get("/{prompt_id:str}")
    async def show(
        self,
        prompt_id: FromPath[str],
        api: NamedDependency[Api],
        principal: NamedDependency[SkipValidation[Principal]],
    ) -> PromptBody:
        return PromptBody.of(accepted(await api.saved_prompts.read(principal, PromptId(prompt_id))))

    @put("/{prompt_id:str}")
    async def update(
        self,
        prompt_id: FromPath[str],
        data: JSONBody[PromptUpdate],
        api: NamedDependency[Api],
        principal: NamedDependency[SkipValidation[Principal]],
    ) -> PromptBody:
        changed = await api.saved_prompts.update(
            principal, PromptId(prompt_id), data.version, data.written()
        )
        return PromptBody.of(accepted(changed))

    @delete("/{prompt_id:str}")
    async def remove(
        self,
        prompt_id: FromPath[str],
        api: NamedDependency[Api],
        principal: NamedDependency[SkipValidation[Principal]],
    ) -> None:
        accepted(await api.saved_prompts.remove(principal, PromptId(prompt_id)))
