"""Which tools there are, and which of them each door has.

A tool of the inside door alone goes into `_TASK_MODE`; one of both doors into `_BOTH`. The lists
that clients see are reviewed as snapshots beside the tests.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from adapters.mcp import (
    acting,
    answers,
    arguments,
    asking,
    evidence,
    permissions,
    planning,
    profile_shapes,
    profiles,
    reading,
    spawning,
    step_shapes,
    steps,
)
from adapters.mcp.tools import AnyTool, Effect, Tool, WaitingTool

__all__ = ("INSIDE", "OUTSIDE")

_BOTH: Final[Sequence[AnyTool[Any, Any]]] = (
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
        step_shapes.TaskDetail,
        reading.task,
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
        "list_related_tasks_kandev",
        "List related tasks",
        "List the parent, the children and the siblings of a task.",
        Effect.READS,
        arguments.GetTask,
        answers.RelatedTasks,
        reading.related,
    ),
    Tool(
        "update_task_kandev",
        "Update a task",
        "Change the title or the prompt of a task. What is null stays as it is.",
        Effect.CHANGES,
        arguments.UpdateTask,
        answers.TaskAnswer,
        acting.update_task,
    ),
    Tool(
        "create_task_kandev",
        "Create a task",
        "Create a task from a title and a prompt. Start an agent on it with spawn_session_kandev."
        " Each call makes another task, unless it repeats an `external_id`.",
        Effect.ADDS,
        arguments.CreateTask,
        answers.CreatedTask,
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
        "move_task_kandev",
        "Move a task",
        "Say that a task is open, for review, or done. Its agents are left alone, and an archived"
        " task stays archived.",
        Effect.CHANGES,
        step_shapes.MoveTask,
        answers.TaskAnswer,
        steps.move_task,
    ),
    Tool(
        "list_agent_profiles_kandev",
        "List agent profiles",
        "List the agent profiles of a workspace: which agent works, and with which model.",
        Effect.READS,
        profile_shapes.ListProfiles,
        profile_shapes.AgentProfiles,
        profiles.agent_profiles,
    ),
    Tool(
        "list_executor_profiles_kandev",
        "List executor profiles",
        "List the executor profiles of a workspace: where an agent that is started works.",
        Effect.READS,
        profile_shapes.ListProfiles,
        profile_shapes.ExecutorProfiles,
        profiles.executor_profiles,
    ),
    WaitingTool(
        "spawn_session_kandev",
        "Start an agent on a task",
        "Start an agent on a task, in a git worktree of its own, and begin its first turn. It may"
        " take a minute. The answer comes when the turn has begun, not when it ends. A task has one"
        " agent at work at a time: to go on with that one, use message_task_kandev.",
        Effect.INSTRUCTS,
        arguments.SpawnSession,
        answers.MessageAnswer,
        spawning.spawn_session,
    ),
    Tool(
        "message_task_kandev",
        "Message the agent of a task",
        "Tell the agent that works on a task something. It begins a turn with it, or does so when"
        " the turn that it is in has ended, which `interrupt` brings about. The answer comes at"
        " once: read the conversation for what the agent says.",
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
        "get_task_plan_kandev",
        "Get the plan of a task",
        "Get the plan that was written for a task.",
        Effect.READS,
        arguments.GetTask,
        answers.PlanAnswer,
        planning.get_plan,
    ),
    Tool(
        "create_task_plan_kandev",
        "Write the plan of a task",
        "Write the plan of a task that has none yet.",
        Effect.ADDS,
        arguments.WritePlan,
        answers.PlanAnswer,
        planning.create_plan,
    ),
    Tool(
        "update_task_plan_kandev",
        "Rewrite the plan of a task",
        "Put another plan in place of the one that a task has.",
        Effect.CHANGES,
        arguments.WritePlan,
        answers.PlanAnswer,
        planning.update_plan,
    ),
    Tool(
        "delete_task_plan_kandev",
        "Delete the plan of a task",
        "Delete the plan of a task. It cannot be brought back.",
        Effect.ENDS,
        arguments.GetTask,
        answers.Removed,
        planning.delete_plan,
    ),
)

_FOR_PEOPLE: Final[Sequence[AnyTool[Any, Any]]] = (
    Tool(
        "list_pending_permissions_kandev",
        "List pending permission requests",
        "List what the agent of a session asks permission for and nobody has answered, with the"
        " options that it offers.",
        Effect.READS,
        arguments.TaskSession,
        permissions.PendingPermissions,
        permissions.pending_permissions,
    ),
    Tool(
        "answer_permission_kandev",
        "Answer a permission request",
        "Answer what an agent asked permission for, with one of the options that it offered: see"
        " list_pending_permissions_kandev. Ask the user before you allow anything.",
        Effect.INSTRUCTS,
        arguments.PermissionAnswer,
        answers.SessionAnswer,
        acting.answer_permission,
    ),
    Tool(
        "list_pending_questions_kandev",
        "List pending questions",
        "List what the agents of a workspace ask their user and nobody has answered.",
        Effect.READS,
        arguments.ListTasks,
        answers.PendingQuestions,
        asking.pending_questions,
    ),
    Tool(
        "answer_question_kandev",
        "Answer an agent's questions",
        "Answer what an agent asks its user, with a reply to each question, or reject all of them"
        " with a reason. Ask the user first. The first answer stands: `claimed` is false when"
        " somebody else gave it.",
        Effect.INSTRUCTS,
        arguments.AnswerQuestion,
        answers.ClaimedAnswer,
        asking.answer_question,
    ),
)

_TASK_MODE: Final[Sequence[AnyTool[Any, Any]]] = (
    WaitingTool(
        "ask_user_question_kandev",
        "Ask the user",
        "Ask the user one to four questions, each with two to six options, and wait for the"
        " answers. Ask only what you cannot find out, and all of it at once. An answer that comes"
        " when you do not wait any more comes as a message.",
        Effect.INSTRUCTS,
        arguments.AskUserQuestion,
        answers.InquiryAnswer,
        asking.ask_user,
    ),
    Tool(
        "complete_step_kandev",
        "Say that your step is complete",
        "Say that you have done what your task asks, with a summary for who looks at it: the task"
        " is then for review. Say it once, at the end. `accepted` is false when the task was not"
        " open any more.",
        Effect.CHANGES,
        step_shapes.CompleteStep,
        step_shapes.StepAnswer,
        steps.complete_step,
    ),
    WaitingTool(
        "get_diagnostic_bundle_kandev",
        "Get a diagnostic bundle",
        "Get Kandev's own evidence of what happened, as a zip file in your workspace that git does"
        " not see: use it when something went wrong that is not in your repository. `path` is"
        " relative to your working directory. Unzip `manifest.json` first: it says what is there"
        " and what is missing. A `partial` bundle lacks something, which `warnings` name. It may"
        " take up to five minutes. The file is removed when you end, at the latest after a day.",
        Effect.ADDS,
        arguments.GetDiagnosticBundle,
        answers.DiagnosticBundle,
        evidence.get_diagnostic_bundle,
    ),
)


def _named(*lists: Sequence[AnyTool[Any, Any]]) -> Mapping[str, AnyTool[Any, Any]]:
    return {each.name: each for one in lists for each in one}


OUTSIDE: Final = _named(_BOTH, _FOR_PEOPLE)
"""For clients that act for a user."""

INSIDE: Final = _named(_BOTH, _TASK_MODE)
"""For an agent, on behalf of its task."""
