"""The use cases that the REST surface drives, finished and in one record."""

from dataclasses import dataclass, field

from adapters.http.request_meter import RequestMeter
from domain.error_report import ReportMeters
from pipelines.archive_task import ArchiveTask
from pipelines.ask_user import AnswerInquiry
from pipelines.claim_home import ClaimHome
from pipelines.connect_account import ConnectAccount, ConnectApp
from pipelines.connect_workspace import ConnectWorkspace, DisconnectWorkspace
from pipelines.create_task import CreateTask
from pipelines.delete_task import DeleteTask
from pipelines.delete_workspace import DeleteWorkspace
from pipelines.detach_repository import DetachRepository
from pipelines.examine_credentials import ExamineCredentials
from pipelines.examine_installation import ExamineInstallation
from pipelines.explain_git import ExplainGit
from pipelines.keep_access_tokens import KeepAccessTokens
from pipelines.keep_accounts import KeepAccounts
from pipelines.keep_invitations import AcceptInvitation, KeepInvitations
from pipelines.keep_members import KeepMembers
from pipelines.keep_profiles import KeepProfiles
from pipelines.keep_saved_prompts import KeepSavedPrompts
from pipelines.launch_session import LaunchSession
from pipelines.move_task import MoveTask
from pipelines.prompt_queue import ChangeQueue, QueuePrompt, SendQueued
from pipelines.prompt_session import AnswerPermission, CancelTurn, PromptSession
from pipelines.read_audit import ReadAudit
from pipelines.read_ledger import ReadLedger
from pipelines.read_metrics import ReadMetrics
from pipelines.register_repository import RegisterRepository
from pipelines.register_workspace import RegisterWorkspace
from pipelines.repository_environment import RepositoryEnvironment
from pipelines.repository_settings import ChangeRepository
from pipelines.restore_task import RestoreTask
from pipelines.resume_session import ResumeSession
from pipelines.session_files import LookAtFiles, WriteFile
from pipelines.session_git import ChangeGit, LookAtGit
from pipelines.session_processes import SessionProcesses
from pipelines.session_terminals import SessionTerminals
from pipelines.sign_in import AuthenticateUser, KeepSignIns
from pipelines.stop_session import StopSession
from pipelines.workspace_settings import WorkspaceSettings
from ports.agents import Agents
from ports.browsers import Browsers
from ports.bundles import Bundles
from ports.clock import Clock
from ports.feed import Feed
from ports.flights import Flights
from ports.revocations import Revocations
from ports.runtime import Runtime
from ports.store import Store

__all__ = ("Api",)


@dataclass(frozen=True, slots=True)
class Api:
    """`store` serves reads that decide nothing; every change goes through a use case."""

    version: str
    store: Store
    runtime: Runtime
    feed: Feed
    flights: Flights
    agents: Agents
    register_workspace: RegisterWorkspace
    workspace_settings: WorkspaceSettings
    connect: ConnectWorkspace
    connect_account: ConnectAccount
    connect_app: ConnectApp
    disconnect: DisconnectWorkspace
    register_repository: RegisterRepository
    create_task: CreateTask
    launch: LaunchSession
    resume: ResumeSession
    prompt: PromptSession
    queue: QueuePrompt
    change_queue: ChangeQueue
    send_queued: SendQueued
    cancel: CancelTurn
    answer: AnswerPermission
    answer_inquiry: AnswerInquiry
    stop: StopSession
    explain_git: ExplainGit
    look_at_git: LookAtGit
    change_git: ChangeGit
    look_at_files: LookAtFiles
    write_file: WriteFile
    examine_credentials: ExamineCredentials
    archive_task: ArchiveTask
    delete_task: DeleteTask
    move_task: MoveTask
    restore_task: RestoreTask
    change_repository: ChangeRepository
    repository_environment: RepositoryEnvironment
    profiles: KeepProfiles
    saved_prompts: KeepSavedPrompts
    access_tokens: KeepAccessTokens
    members: KeepMembers
    claim: ClaimHome
    authenticate: AuthenticateUser
    sign_ins: KeepSignIns
    accounts: KeepAccounts
    invitations: KeepInvitations
    accept_invitation: AcceptInvitation
    revocations: Revocations
    detach_repository: DetachRepository
    delete_workspace: DeleteWorkspace
    processes: SessionProcesses
    terminals: SessionTerminals
    ledger: ReadLedger
    audit: ReadAudit
    bundles: Bundles
    browsers: Browsers
    clock: Clock
    read_metrics: ReadMetrics
    examine_installation: ExamineInstallation
    request_meter: RequestMeter = field(default_factory=RequestMeter)
    report_meters: ReportMeters = field(default_factory=ReportMeters)
