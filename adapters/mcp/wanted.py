"""What one client wants to be told of, and what it is told of a change.

Nothing is told of what the client's principal does not see.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from mcp.shared.subscriptions import (
    PromptsListChanged,
    ResourcesListChanged,
    ResourceUpdated,
    ServerEvent,
)

from adapters.mcp.addresses import Place, What, parse
from adapters.mcp.backend import Backend
from adapters.mcp.reading import workspace_of
from domain.access import Act
from domain.change import (
    Change,
    ConversationGrew,
    PlanChanged,
    PromptsChanged,
    SessionAdded,
    SessionSettled,
    TaskChanged,
)
from domain.identity import SessionId
from domain.outcome import failed
from domain.principal import Principal
from domain.task import Task
from domain.tool_bounds import MAX_SUBSCRIBED
from pipelines.authority import permitted
from ports.store import Reader

__all__ = ("Wanted",)


class Touched(NamedTuple):
    """What a change was to: the task, what of it is another, and whether the list of them is."""

    task: Task | None
    place: Place | None
    listed: bool


@dataclass(slots=True)
class Wanted:
    """The lists, and resources by each address that the client gave of them."""

    principal: Principal
    resources: bool = False
    prompts: bool = False
    addresses: dict[Place, dict[str, None]] = field(default_factory=dict)

    def subscribe(self, uri: str) -> bool:
        """False when there are too many. An address of nothing is taken; nothing comes of it."""
        if sum(map(len, self.addresses.values())) >= MAX_SUBSCRIBED:
            return False
        place = parse(uri)
        if place is not None:
            self.addresses.setdefault(place.known_as(self.principal), {})[uri] = None
        return True

    def unsubscribe(self, uri: str) -> None:
        place = parse(uri)
        if place is not None:
            self.addresses.get(place.known_as(self.principal), {}).pop(uri, None)

    async def events(self, backend: Backend, changes: Iterable[Change]) -> Sequence[ServerEvent]:
        """What to tell the client, each once, in the order of the changes."""
        found: dict[ServerEvent, None] = {}
        async with backend.store.read() as state:
            for each in changes:
                found.update(dict.fromkeys(await self._events_of(state, each)))
        return tuple(found)

    async def _events_of(self, state: Reader, change: Change) -> Sequence[ServerEvent]:
        if isinstance(change, PromptsChanged):
            seen = self.prompts and not failed(
                await workspace_of(state, self.principal, change.workspace)
            )
            return [PromptsListChanged()] if seen else []
        task, place, listed = await self._touched(state, change)
        if task is None or not await permitted(state, self.principal, task, Act.SEE):
            return []
        addresses = self.addresses.get(place, {}) if place is not None else {}
        updated = [ResourceUpdated(uri) for uri in addresses]
        return [ResourcesListChanged(), *updated] if listed and self.resources else updated

    async def _touched(
        self,
        state: Reader,
        change: TaskChanged | PlanChanged | SessionAdded | SessionSettled | ConversationGrew,
    ) -> Touched:
        match change:
            case TaskChanged(before=before, after=after):
                task = after or before
                listed = before is None or after is None or before.title != after.title
                return Touched(task, Place(What.TASK, task.id) if task else None, listed)
            case PlanChanged(task=name, came_or_went=listed):
                return Touched(await state.task(name), Place(What.PLAN, name), listed)
            case SessionSettled():
                return Touched(None, None, listed=False)
            case SessionAdded(task=name):
                return Touched(await state.task(name), None, listed=True)
            case ConversationGrew(session=name):
                place = next((each for each in self.addresses if each.session == name), None)
                if place is None:
                    return Touched(None, None, listed=False)
                found = await state.session(SessionId(name))
                pair = found is not None and found.task == place.task
                task = await state.task(found.task) if found is not None and pair else None
                return Touched(task, place, listed=False)
