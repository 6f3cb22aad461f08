"""The use cases that the tools drive, finished and in one record: the same as behind REST."""

from dataclasses import dataclass

from pipelines.archive_task import ArchiveTask
from pipelines.ask_user import AnswerInquiry, AskUser
from pipelines.complete_step import CompleteStep
from pipelines.create_task import CreateTask
from pipelines.deliver_bundle import DeliverBundle
from pipelines.keep_plan import KeepPlan
from pipelines.keep_saved_prompts import KeepSavedPrompts
from pipelines.launch_session import LaunchSession
from pipelines.move_task import MoveTask
from pipelines.prompt_queue import QueuePrompt, SendQueued
from pipelines.prompt_session import AnswerPermission, PromptSession
from pipelines.stop_session import StopSession
from pipelines.update_task import UpdateTask
from ports.agents import Agents
from ports.answers import Answers
from ports.store import Store

__all__ = ("Backend",)


@dataclass(frozen=True, slots=True)
class Backend:
    """`store` serves reads that decide nothing; every change goes through a use case."""

    version: str
    store: Store
    agents: Agents
    create_task: CreateTask
    update_task: UpdateTask
    move_task: MoveTask
    complete_step: CompleteStep
    keep_plan: KeepPlan
    saved_prompts: KeepSavedPrompts
    ask_user: AskUser
    answer_inquiry: AnswerInquiry
    answers: Answers
    archive_task: ArchiveTask
    launch: LaunchSession
    prompt: PromptSession
    queue: QueuePrompt
    send_queued: SendQueued
    answer: AnswerPermission
    stop: StopSession
    deliver_bundle: DeliverBundle
