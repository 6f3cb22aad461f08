"""The tools, each said once: its name, what it is for, what it takes and gives, and who does it."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any, Final, Generic, TypeVar

from mcp_types import Tool as Described
from mcp_types import ToolAnnotations

from adapters.mcp import acting, answers, arguments, reading
from adapters.mcp.backend import Backend
from adapters.mcp.problems import ToolProblem, told
from domain.outcome import Failure, Result, Success, failed
from domain.principal import Principal

__all__ = ("TOOLS", "Effect", "Tool")

Asked = TypeVar("Asked", bound=arguments.Arguments)
Given = TypeVar("Given", bound=answers.Answer)


class Effect(Enum):
    """What a call does to the world, as the protocol's annotations tell it."""

    READS = ToolAnnotations(
        read_only_hint=True, destructive_hint=False, idempotent_hint=True, open_world_hint=False
    )
    ADDS = ToolAnnotations(
        read_only_hint=False, destructive_hint=False, idempotent_hint=False, open_world_hint=False
    )
    INSTRUCTS = ToolAnnotations(
        read_only_hint=False, destructive_hint=False, idempotent_hint=False, open_world_hint=True
    )
    ENDS = ToolAnnotations(
        read_only_hint=False, destructive_hint=True, idempotent_hint=True, open_world_hint=False
    )


@dataclass(frozen=True, slots=True)
class Tool(Generic[Asked, Given]):
    """`description` is written for a model: when to use it, and what comes back."""

    name: str
    title: str
    description: str
    effect: Effect
    takes: type[Asked]
    gives: type[Given]
    run: Callable[[Backend, Principal, Asked], Awaitable[Result[Given, ToolProblem]]]

    def described(self) -> Described:
        return Described(
            name=self.name,
            title=self.title,
            description=self.description,
            input_schema=self.takes.model_json_schema(),
            output_schema=self.gives.model_json_schema(mode="serialization"),
            annotations=self.effect.value,
        )

    async def __call__(
        self, backend: Backend, principal: Principal, given: dict[str, Any] | None
    ) -> Result[Given, str]:
        """Do it; a problem comes as its text. Wrong arguments reach nothing behind this."""
        asked = arguments.parse(self.takes, given)
        if failed(asked):
            return Failure(f"invalid arguments for {self.name}: {asked.failure()}")
        outcome = await self.run(backend, principal, asked.unwrap())
        return Failure(told(outcome.failure())) if failed(outcome) else Success(outcome.unwrap())


_ALL: Final[tuple[Tool[Any, Any], ...]] = (
    Tool(
        "list_workspaces_kandev",
        "List workspaces",
        "List the workspaces. A workspace holds repositories and tasks; other tools take its id.",
        Effect.READS,
        arguments.ListWorkspaces,
        answers.Workspaces,
        reading.workspaces,
    ),
    Tool(
        "list_repositories_kandev",
        "List repositories",
        "List the repositories of a workspace. Use it before create_task_kandev to choose where"
        " the task works.",
        Effect.READS,
        arguments.ListRepositories,
        answers.Repositories,
        reading.repositories,
    ),
    Tool(
        "list_tasks_kandev",
        "List tasks",
        "List the tasks of a workspace in the order of their ids, archived ones included, without"
        " their prompts. Use get_task_kandev for all of one.",
        Effect.READS,
        arguments.ListTasks,
        answers.Tasks,
        reading.tasks,
    ),
    Tool(
        "get_task_kandev",
        "Get a task",
        "Get one task with its prompt and its repositories.",
        Effect.READS,
        arguments.GetTask,
        answers.TaskAnswer,
        reading.task,
    ),
    Tool(
        "create_task_kandev",
        "Create a task",
        "Create a task from a title and a prompt. Start an agent on it with spawn_session_kandev."
        " Each call makes another task: look at list_tasks_kandev before you repeat a call that"
        " had no answer.",
        Effect.ADDS,
        arguments.CreateTask,
        answers.TaskAnswer,
        acting.create_task,
    ),
    Tool(
        "archive_task_kandev",
        "Archive a task",
        "Archive a task: its agents are ended and nothing starts on it again. Its worktree and its"
        " branches stay. Archiving an archived task changes nothing.",
        Effect.ENDS,
        arguments.GetTask,
        answers.TaskAnswer,
        acting.archive_task,
    ),
    Tool(
        "list_sessions_kandev",
        "List the sessions of a task",
        "List the sessions of a task: which agents work or worked on it, and in which state.",
        Effect.READS,
        arguments.GetTask,
        answers.Sessions,
        reading.sessions,
    ),
    Tool(
        "get_session_kandev",
        "Get a session",
        "Get one session of a task. `idle` waits for a prompt, `running` is in a turn.",
        Effect.READS,
        arguments.TaskSession,
        answers.SessionAnswer,
        reading.session,
    ),
    Tool(
        "get_conversation_kandev",
        "Read a conversation",
        "Read what was said and done in a session, oldest first, a page at a time. Ask again with"
        " `after` set to `next_after` while `more` is true. `kinds` narrows it: `message_chunk`"
        " is what the agent said, `permission_request` what it waits for.",
        Effect.READS,
        arguments.GetConversation,
        answers.Conversation,
        reading.conversation,
    ),
    Tool(
        "list_agents_kandev",
        "List agents",
        "List the agents that can be started, and which of them are installed here.",
        Effect.READS,
        arguments.NoArguments,
        answers.Agents,
        reading.agents,
    ),
    Tool(
        "spawn_session_kandev",
        "Start an agent on a task",
        "Start an agent on a task, in a git worktree of its own, and begin its first turn. It may"
        " take a minute. The answer comes when the turn has begun, not when it ends. A task has one"
        " agent at work at a time: to go on with that one, use message_task_kandev.",
        Effect.INSTRUCTS,
        arguments.SpawnSession,
        answers.MessageAnswer,
        acting.spawn_session,
    ),
    Tool(
        "message_task_kandev",
        "Message the agent of a task",
        "Begin a turn of the agent that works on a task. The answer comes when the turn has begun,"
        " not when it ends: read the conversation for what the agent says.",
        Effect.INSTRUCTS,
        arguments.MessageTask,
        answers.MessageAnswer,
        acting.message_task,
    ),
    Tool(
        "stop_session_kandev",
        "Stop a session",
        "End the agent of a session and everything that it started. Stopping a stopped session"
        " changes nothing.",
        Effect.ENDS,
        arguments.TaskSession,
        answers.SessionAnswer,
        acting.stop_session,
    ),
    Tool(
        "answer_permission_kandev",
        "Answer a permission request",
        "Answer what an agent asked permission for, with one of the options that it offered in its"
        " `permission_request` event. Ask the user before you allow anything.",
        Effect.INSTRUCTS,
        arguments.PermissionAnswer,
        answers.SessionAnswer,
        acting.answer_permission,
    ),
)

TOOLS: Final[Mapping[str, Tool[Any, Any]]] = {each.name: each for each in _ALL}
