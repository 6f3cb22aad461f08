"""Everything there is in the control plane, and which adapter stands behind which port."""

import platform
from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path

from dependency_injector import containers, providers

from adapters.agentctl.beside import AgentctlBeside
from adapters.agentctl.bundle_sink import AgentctlBundleSink
from adapters.agentctl.instance_files import AgentctlFiles
from adapters.agentctl.instance_git import AgentctlGit
from adapters.agentctl.keeper import AgentctlKeeper, Launching
from adapters.agentctl.relay_client import RelayClient
from adapters.agentctl.runtime import AgentctlRuntime
from adapters.agents.catalogue import Catalogue
from adapters.bundles.browsers import ConnectedBrowsers
from adapters.bundles.desk import BundleDesk
from adapters.bundles.scratch import HomeScratch
from adapters.feed.answers import MemoryAnswers
from adapters.feed.memory import MemoryFeed
from adapters.gh.accounts import GhAccounts
from adapters.git.closed import MirroredGit
from adapters.git.closed_command import ClosedCommands
from adapters.git.process import LocalGit
from adapters.github.apps import HttpGithubApps
from adapters.home.layout import Home
from adapters.http.api import Api
from adapters.logs.evidence import LogEvidence
from adapters.logs.logs import Logs
from adapters.mcp.backend import Backend
from adapters.mcp.inside import InsideDoor
from adapters.mcp.outside import OutsideDoor
from adapters.process.spawn import LocalProcesses
from adapters.secrets.capabilities import AesCapabilities
from adapters.secrets.keyring import Keyring
from adapters.secrets.passwords import Argon2Passwords
from adapters.secrets.vault import AesVault
from adapters.system.clock import SystemClock
from adapters.system.ids import SystemIds
from adapters.system.own_process import ProcProcess
from composition.flights import FlightTasks
from composition.followers import FollowerTasks
from composition.health import ServerExamination
from composition.revocations import MemoryRevocations
from composition.settings import VERSION, Settings
from domain.agent import Agent
from domain.attempts import Attempts
from domain.bundle import Source
from domain.bundle_manifest import Product
from domain.connection import Kind
from domain.identity import ExecutionId
from pipelines.archive_task import ArchiveTask
from pipelines.ask_user import AnswerInquiry, AskUser
from pipelines.claim_home import ClaimHome
from pipelines.collect_evidence import AgentMessages, InstallationLog, RuntimeIndex
from pipelines.complete_step import CompleteStep
from pipelines.connect_account import ConnectAccount, ConnectApp
from pipelines.connect_workspace import ConnectWorkspace, DisconnectWorkspace
from pipelines.connection_credential import ConnectionCredential
from pipelines.connection_secret import ConnectionSecrets
from pipelines.create_task import CreateTask
from pipelines.delete_task import DeleteTask
from pipelines.delete_workspace import DeleteWorkspace
from pipelines.deliver_bundle import DeliverBundle
from pipelines.deliver_queued import DeliverQueued
from pipelines.detach_repository import DetachRepository
from pipelines.ensure_instance import EnsureInstance
from pipelines.environment_secrets import EnvironmentSecrets
from pipelines.examine_credentials import ExamineCredentials
from pipelines.examine_installation import ExamineInstallation
from pipelines.explain_git import ExplainGit
from pipelines.follow_execution import FollowExecution
from pipelines.issue_lease import IssueLease
from pipelines.keep_access_tokens import KeepAccessTokens
from pipelines.keep_accounts import KeepAccounts
from pipelines.keep_invitations import AcceptInvitation, KeepInvitations
from pipelines.keep_members import KeepMembers
from pipelines.keep_plan import KeepPlan
from pipelines.keep_profiles import KeepProfiles
from pipelines.keep_saved_prompts import KeepSavedPrompts
from pipelines.known_secrets import KnownSecrets
from pipelines.launch_session import LaunchSession
from pipelines.move_task import MoveTask
from pipelines.open_sign_in import OpenSignIn
from pipelines.owner_scope import OwnerScope
from pipelines.prompt_queue import ChangeQueue, QueuePrompt, SendQueued
from pipelines.prompt_session import AnswerPermission, CancelTurn, PromptSession
from pipelines.prune_outbox import PruneOutbox
from pipelines.read_audit import PruneAudit, ReadAudit
from pipelines.read_ledger import PruneLedger, ReadLedger
from pipelines.read_metrics import ReadMetrics
from pipelines.recover import Recover
from pipelines.redeem_credential import RedeemCredential
from pipelines.refresh_clone import RefreshClone
from pipelines.register_repository import RegisterRepository
from pipelines.register_workspace import RegisterWorkspace
from pipelines.replace_connection import ReplaceConnection
from pipelines.repository_environment import RepositoryEnvironment
from pipelines.repository_settings import ChangeRepository
from pipelines.restore_task import RestoreTask
from pipelines.resume_session import ResumeSession
from pipelines.session_fences import SessionFences
from pipelines.session_files import LookAtFiles, WriteFile
from pipelines.session_git import ChangeGit, LookAtGit
from pipelines.session_processes import SessionProcesses
from pipelines.session_terminals import SessionTerminals
from pipelines.settled_sessions import SettledSessions
from pipelines.sign_in import AuthenticateUser, KeepSignIns, PruneSignIns
from pipelines.start_execution import StartExecution
from pipelines.stop_session import StopSession
from pipelines.task_cleanup import CleanupPlan
from pipelines.update_task import UpdateTask
from pipelines.workspace_settings import WorkspaceSettings
from ports.redactor import Redactor
from ports.store import Store

__all__ = ("ControlPlane",)


def created_here(store: Store) -> Callable[[ExecutionId], Awaitable[bool]]:
    """Whether an execution is one that this installation made."""

    async def created(execution: ExecutionId) -> bool:
        async with store.read() as state:
            return await state.execution(execution) is not None

    return created


def product() -> Product:
    """What made a bundle, and on what kind of machine."""
    return Product(VERSION, "", platform.system(), platform.machine())


class ControlPlane(containers.DeclarativeContainer):
    """What is opened before and closed after is given; the rest is made once, when asked for."""

    settings: providers.Dependency[Settings] = providers.Dependency()
    home: providers.Dependency[Home] = providers.Dependency()
    store: providers.Dependency[Store] = providers.Dependency()
    keyring: providers.Dependency[Keyring] = providers.Dependency()
    redactor: providers.Dependency[Redactor] = providers.Dependency()
    sockets: providers.Dependency[Path] = providers.Dependency()
    environment: providers.Dependency[Mapping[str, str]] = providers.Dependency()
    named: providers.Dependency[Sequence[Agent]] = providers.Dependency()
    launching: providers.Dependency[Launching] = providers.Dependency()
    logs: providers.Dependency[Logs] = providers.Dependency()

    clock = providers.Singleton(SystemClock)
    own_process = providers.Singleton(ProcProcess)
    ids = providers.Singleton(SystemIds, clock)
    feed = providers.Singleton(MemoryFeed)
    vault = providers.Singleton(AesVault, keyring, ids)
    capabilities = providers.Singleton(AesCapabilities, keyring, ids)
    processes = providers.Singleton(LocalProcesses)
    git_process = providers.Singleton(LocalGit, processes, redactor)
    closed_commands = providers.Singleton(ClosedCommands, git_process, sockets, environment)
    git = providers.Singleton(
        MirroredGit,
        git=git_process,
        closed=closed_commands,
        mirrors=home.provided.mirrors,
        clones=home.provided.repos,
        temporary=home.provided.tmp,
        parent=environment,
    )
    agents = providers.Singleton(Catalogue, settings.provided.search_path, named)

    secrets = providers.Singleton(ConnectionSecrets, vault, redactor, clock)
    gh_accounts = providers.Singleton(GhAccounts, processes, clock, environment)
    github_apps = providers.Singleton(HttpGithubApps, clock)
    sources = providers.Dict({Kind.GH_CLI: gh_accounts, Kind.GITHUB_APP: github_apps})
    credential = providers.Singleton(ConnectionCredential, store, secrets, sources, redactor)
    refresh = providers.Singleton(RefreshClone, store, git, credential)
    issue = providers.Singleton(IssueLease, redactor, clock, ids)
    redeem = providers.Singleton(RedeemCredential, store, credential, capabilities, issue, clock)

    inside = providers.Singleton(InsideDoor)
    environments = providers.Singleton(EnvironmentSecrets, vault, redactor)
    cleanup = providers.Singleton(CleanupPlan, agents, environments)
    known_secrets = providers.Singleton(KnownSecrets, store, secrets, environments)
    relay = providers.Singleton(
        RelayClient,
        redeem,
        known_secrets.provided.of_git,
        providers.Callable(created_here, store),
        inside,
    )
    keeper = providers.Singleton(AgentctlKeeper, store, vault, ids, relay, launching)
    runtime = providers.Singleton(AgentctlRuntime, keeper)
    deliver = providers.Singleton(DeliverQueued, store, runtime, clock, ids, redactor)
    follow = providers.Singleton(FollowExecution, store, runtime, feed, clock, deliver)
    instance_files = providers.Singleton(AgentctlFiles, keeper)
    instance_git = providers.Singleton(AgentctlGit, keeper)
    beside = providers.Singleton(AgentctlBeside, keeper)
    followers = providers.Singleton(FollowerTasks, follow, runtime, keeper.provided.gone)
    flights = providers.Singleton(FlightTasks)
    recover = providers.Singleton(Recover, store, runtime, follow, followers, known_secrets)

    tasks_root = providers.Callable(str, home.provided.tasks)
    fences = providers.Singleton(SessionFences)
    start = providers.Singleton(
        StartExecution,
        store=store,
        runtime=runtime,
        refresh=refresh,
        git=git,
        issue=issue,
        capabilities=capabilities,
        redactor=redactor,
        environments=environments,
        followers=followers,
        clock=clock,
        ids=ids,
        tasks_root=tasks_root,
        fences=fences,
    )
    settled = providers.Singleton(SettledSessions, store)
    resume = providers.Singleton(ResumeSession, store, agents, start, deliver, flights, settled)
    ensure = providers.Singleton(EnsureInstance, store, resume, settled)
    replace = providers.Singleton(ReplaceConnection, store, git, vault, clock, ids)
    stop = providers.Singleton(StopSession, store, runtime, clock, flights)
    log_evidence = providers.Singleton(LogEvidence, logs, clock)
    scratch = providers.Singleton(HomeScratch, home.provided.tmp)
    browsers = providers.Singleton(ConnectedBrowsers, scratch, redactor.provided.mask, clock)
    bundles = providers.Singleton(
        BundleDesk,
        sources=providers.Dict({
            Source.BACKEND: providers.Singleton(InstallationLog, store, log_evidence),
            Source.RUNTIME: providers.Singleton(RuntimeIndex, store, clock),
            Source.ACP: providers.Singleton(AgentMessages, store, scratch, redactor),
        }),
        mark=log_evidence.provided.mark,
        free_bytes=scratch.provided.free_bytes,
        product=providers.Callable(product),
        clock=clock,
        ids=ids,
        browsers=browsers,
    )
    bundle_sink = providers.Singleton(AgentctlBundleSink, keeper)
    deliver_bundle = providers.Singleton(
        DeliverBundle,
        scope=providers.Singleton(OwnerScope, store),
        store=store,
        bundles=bundles,
        sink=bundle_sink,
        fences=fences,
        clock=clock,
    )
    answers = providers.Singleton(MemoryAnswers)
    queue = providers.Singleton(QueuePrompt, store, deliver, clock, ids)
    revocations = providers.Singleton(MemoryRevocations)
    passwords = providers.Singleton(Argon2Passwords, ids)
    attempts = providers.Singleton(Attempts)
    open_sign_in = providers.Singleton(OpenSignIn, clock, ids, redactor)
    saved_prompts = providers.Singleton(KeepSavedPrompts, store, clock, ids)
    api = providers.Singleton(
        Api,
        version=VERSION,
        store=store,
        runtime=runtime,
        feed=feed,
        flights=flights,
        agents=agents,
        register_workspace=providers.Singleton(RegisterWorkspace, store, clock, ids),
        workspace_settings=providers.Singleton(WorkspaceSettings, store, clock),
        connect=providers.Singleton(ConnectWorkspace, store, replace, redactor),
        connect_account=providers.Singleton(ConnectAccount, store, gh_accounts, replace, redactor),
        connect_app=providers.Singleton(
            ConnectApp, store, github_apps, github_apps, replace, redactor
        ),
        disconnect=providers.Singleton(DisconnectWorkspace, store, clock),
        register_repository=providers.Singleton(
            RegisterRepository, store, git, refresh, clock, ids
        ),
        create_task=providers.Singleton(CreateTask, store, clock, ids),
        launch=providers.Singleton(
            LaunchSession, store, agents, start, clock, ids, flights, settled
        ),
        resume=resume,
        prompt=providers.Singleton(PromptSession, store, runtime, clock, ids, redactor),
        queue=queue,
        change_queue=providers.Singleton(ChangeQueue, store),
        send_queued=providers.Singleton(SendQueued, store, runtime, deliver),
        cancel=providers.Singleton(CancelTurn, store, runtime),
        answer=providers.Singleton(AnswerPermission, store, runtime),
        answer_inquiry=providers.Singleton(AnswerInquiry, store, answers, queue, clock),
        stop=stop,
        explain_git=providers.Singleton(ExplainGit, store, runtime),
        look_at_git=providers.Singleton(LookAtGit, ensure, instance_git),
        change_git=providers.Singleton(ChangeGit, ensure, instance_git),
        look_at_files=providers.Singleton(LookAtFiles, ensure, instance_files),
        write_file=providers.Singleton(WriteFile, ensure, instance_files),
        examine_credentials=providers.Singleton(ExamineCredentials, store, runtime),
        archive_task=providers.Singleton(
            ArchiveTask, store, runtime, clock, git, cleanup, tasks_root
        ),
        delete_task=providers.Singleton(
            DeleteTask, store, runtime, clock, git, cleanup, tasks_root
        ),
        profiles=providers.Singleton(KeepProfiles, store, agents, environments, clock, ids),
        move_task=providers.Singleton(MoveTask, store),
        saved_prompts=saved_prompts,
        access_tokens=providers.Singleton(
            KeepAccessTokens, store, clock, ids, redactor, revocations
        ),
        members=providers.Singleton(KeepMembers, store, clock, revocations),
        claim=providers.Singleton(
            ClaimHome, store, clock, ids, passwords, redactor, attempts, open_sign_in
        ),
        authenticate=providers.Singleton(
            AuthenticateUser, store, clock, passwords, redactor, attempts, open_sign_in
        ),
        sign_ins=providers.Singleton(
            KeepSignIns, store, clock, passwords, redactor, attempts, revocations
        ),
        accounts=providers.Singleton(KeepAccounts, store, clock, revocations),
        invitations=providers.Singleton(KeepInvitations, store, clock, ids, redactor),
        accept_invitation=providers.Singleton(
            AcceptInvitation, store, clock, ids, passwords, redactor, attempts, open_sign_in
        ),
        revocations=revocations,
        repository_environment=providers.Singleton(RepositoryEnvironment, store, environments),
        change_repository=providers.Singleton(ChangeRepository, store),
        restore_task=providers.Singleton(RestoreTask, store, runtime, git, tasks_root),
        detach_repository=providers.Singleton(
            DetachRepository, store, runtime, clock, git, cleanup, tasks_root
        ),
        delete_workspace=providers.Singleton(
            DeleteWorkspace, store, runtime, clock, git, cleanup, tasks_root
        ),
        processes=providers.Singleton(SessionProcesses, ensure, beside),
        terminals=providers.Singleton(SessionTerminals, ensure, beside),
        ledger=providers.Singleton(ReadLedger, store),
        audit=providers.Singleton(ReadAudit, store, clock),
        read_metrics=providers.Singleton(ReadMetrics, store, own_process, VERSION),
        examine_installation=providers.Singleton(
            ExamineInstallation,
            store,
            providers.Singleton(ServerExamination, settings, environment, clock),
        ),
        bundles=bundles,
        browsers=browsers,
        clock=clock,
    )
    tools = providers.Singleton(
        Backend,
        version=VERSION,
        store=store,
        agents=agents,
        create_task=api.provided.create_task,
        update_task=providers.Singleton(UpdateTask, store),
        move_task=api.provided.move_task,
        complete_step=providers.Singleton(CompleteStep, store, clock),
        saved_prompts=saved_prompts,
        keep_plan=providers.Singleton(KeepPlan, store, clock),
        ask_user=providers.Singleton(AskUser, store, clock, ids),
        answer_inquiry=api.provided.answer_inquiry,
        answers=answers,
        archive_task=api.provided.archive_task,
        launch=api.provided.launch,
        prompt=api.provided.prompt,
        queue=queue,
        send_queued=api.provided.send_queued,
        answer=api.provided.answer,
        stop=stop,
        deliver_bundle=deliver_bundle,
    )
    mcp = providers.Singleton(OutsideDoor, tools)
    chores = providers.Dict(
        ledger=providers.Singleton(PruneLedger, store, clock),
        outbox=providers.Singleton(PruneOutbox, store, clock),
        sign_ins=providers.Singleton(PruneSignIns, store, clock),
        audit=providers.Singleton(PruneAudit, store, clock),
    )
