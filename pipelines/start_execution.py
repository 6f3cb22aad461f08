"""Start an agent for a session: the steps that a launch and a resume share.

Gather everything, decide once, then apply. The snapshot of who the agent acts as lives in memory
until the one write that records the success, in the transaction of the session's new state. After
a failure the session says why, its leases are gone and the earlier snapshot is as it was.
"""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial

from domain import copy_files, environment
from domain.ambient_credentials import cleared
from domain.base_branch import beginning
from domain.branch_template import branch_of
from domain.capability import Claims
from domain.credential_policy import decide, removes
from domain.credential_snapshot import snapshot
from domain.environment import Layer
from domain.event import Json
from domain.execution import Execution, ExecutionState
from domain.identity import ExecutionId
from domain.lease import LeaseRefusal, Scope
from domain.ledger import Why
from domain.outcome import Failure, Result, Success, failed
from domain.registered_repository import Repository
from domain.session import Move, Session, SessionFailure, SessionState, next_state
from pipelines.audited import audited_secrets
from pipelines.end_leases import end_leases
from pipelines.environment_secrets import EnvironmentSecrets
from pipelines.issue_lease import IssueLease
from pipelines.refresh_clone import RefreshClone
from pipelines.session_fences import SessionFences
from pipelines.start_facts import facts_of, stored_layers
from pipelines.start_plan import (
    Facts,
    Order,
    Terms,
    access,
    layers_of,
    metadata,
    origins_of,
    scopes_of,
    scripts_of,
    servers_of,
    workspace_of,
)
from pipelines.start_problem import (
    INTERRUPTED,
    DirtyCheckout,
    StartProblem,
    Superseded,
    failure_of,
    fallen,
)
from ports.capabilities import Capabilities
from ports.clock import Clock
from ports.followers import Followers
from ports.git import ClosedGit
from ports.ids import Ids
from ports.redactor import Redactor
from ports.runtime import (
    Checkout,
    LaunchSpec,
    LeaseGrant,
    Runtime,
)
from ports.store import Store, StoreUnavailable, Writer

__all__ = ("StartExecution",)


@dataclass(frozen=True, slots=True)
class StartExecution:
    store: Store
    runtime: Runtime
    refresh: RefreshClone
    git: ClosedGit
    issue: IssueLease
    capabilities: Capabilities
    redactor: Redactor
    environments: EnvironmentSecrets
    followers: Followers
    clock: Clock
    ids: Ids
    tasks_root: str
    fences: SessionFences

    async def __call__(self, order: Order) -> Result[Session, StartProblem]:
        """Start it; the session comes back idle. `order.session` is stored and `STARTING`."""
        try:
            outcome = await self._start(order)
        except BaseException:
            with suppress(StoreUnavailable):
                await self._fail(order.session, INTERRUPTED)
            raise
        if failed(outcome):
            await self._fail(order.session, failure_of(outcome.failure()))
        return outcome

    async def _start(self, order: Order) -> Result[Session, StartProblem]:
        async with self.store.read() as state:
            gathered = await facts_of(state, order.session)
        if failed(gathered):
            return gathered
        facts = gathered.unwrap()
        opened = stored_layers(self.environments, facts)
        if failed(opened):
            return opened
        stored = opened.unwrap()
        layers = layers_of(order, stored)
        clean = cleared(layers)
        if failed(clean):
            return clean
        composed = environment.compose(clean.unwrap())
        if failed(composed):
            return composed
        foreseen = decide(facts.workspace.mode, facts.connections, layers, facts.repositories)
        if failed(foreseen):
            return foreseen  # before anything is fetched
        checkouts = await self._checkouts(order, facts)
        if failed(checkouts):
            return checkouts

        execution = Execution(
            id=ExecutionId(self.ids.new("exec")),
            task=facts.task.id,
            session=order.session.id,
            executor=order.executor,
            state=ExecutionState.STARTING,
            acknowledged=0,
            created_at=self.clock.now(),
        )
        admitted = await self._admit(order.session, execution, facts, layers)
        if failed(admitted):
            return admitted
        terms = admitted.unwrap()
        for repository, origin in origins_of(facts, terms.decision).items():
            pointed = await self.git.point_origin(repository, origin)
            if failed(pointed):
                return pointed
        choice = facts.profiles.agent_choice
        spec = LaunchSpec(
            handle=execution.handle,
            agent=order.agent,
            program=order.program,
            executor=order.executor,
            workspace=workspace_of(self.tasks_root, facts),
            checkouts=checkouts.unwrap(),
            layers=clean.unwrap(),
            managed=terms.managed,
            removes=removes(terms.mode, terms.decision.source, layers),
            acp_session=order.session.acp_session,
            approve_automatically=order.approve_automatically,
            model=choice.model if choice else None,
            system_prompt=choice.system_prompt if choice else None,
            mcp_servers=servers_of(facts, stored),
        )
        launched = await self.runtime.launch(spec, partial(self.followers.heard, spec.handle))
        if failed(launched):
            return launched
        candidate = snapshot(terms.decision, terms.mode, execution.executor, self.clock.now())
        known = metadata(candidate, terms.decision, spec, launched.unwrap())
        return await self._record(execution, launched.unwrap().acp_session, known)

    async def _checkouts(
        self, order: Order, facts: Facts
    ) -> Result[tuple[Checkout, ...], StartProblem]:
        checkouts: list[Checkout] = []
        alone = len(facts.repositories) == 1
        for wanted, repository in zip(facts.task.repositories, facts.repositories, strict=True):
            source = await self._source(order, repository)
            if failed(source):
                return source
            begins = beginning(
                wanted, repository.default_branch, clone=repository.local_path is None
            )
            if wanted.pull_request is not None and repository.id not in facts.branches:
                head = await self.refresh.pull_request(repository, wanted.pull_request)
                if failed(head):
                    return head
            settings = facts.settings[repository.id]
            checkouts.append(
                Checkout(
                    repository=repository.id,
                    source=source.unwrap(),
                    folder="" if alone else repository.name,
                    branch=begins.branch
                    or facts.branches.get(repository.id)
                    or branch_of(settings.worktree_branch_template, facts.task),
                    base=begins.base,
                    fallbacks=begins.fallbacks,
                    existing=begins.branch is not None,
                    copies=copy_files.parse(settings.copy_files),
                    scripts=scripts_of(repository, settings),
                )
            )
        return Success(tuple(checkouts))

    async def _source(self, order: Order, repository: Repository) -> Result[str, StartProblem]:
        if repository.local_path is None:
            return await self.refresh(repository, fetch=order.fetch)
        if order.fetch and not order.allow_dirty:
            dirty = await self.git.is_dirty(repository.local_path)
            if failed(dirty):
                return dirty
            if dirty.unwrap():
                return Failure(DirtyCheckout(repository.local_path))
        return Success(repository.local_path)

    async def _admit(
        self, session: Session, execution: Execution, facts: Facts, layers: Sequence[Layer]
    ) -> Result[Terms, StartProblem]:
        """Decide, and record the execution with its leases before anything of it can run.

        All in one unit: what the workspace wants now is what is decided, issued and disclosed, even
        when it was changed while a repository was fetched.
        """
        async with self.fences.hold(session.id), self.store.write() as unit:
            current = await unit.session(session.id)
            workspace = await unit.workspace(facts.workspace.id)
            if current is None or workspace is None or current.state is not SessionState.STARTING:
                return Failure(Superseded())
            connections = await unit.connections(workspace.id)
            decided = decide(workspace.mode, connections, layers, facts.repositories)
            if failed(decided):
                return decided
            decision = decided.unwrap()
            await unit.put_execution(execution)
            await audited_secrets(unit, execution, workspace.id, layers)
            if not await unit.save_session(replace(current, execution=execution.id)):
                return Failure(Superseded())
            grants: list[LeaseGrant] = []
            for scope in scopes_of(execution, facts, decision):
                granted = await self._grant(unit, scope)
                if failed(granted):
                    return granted
                grants.append(granted.unwrap())
        managed = access(decision, connections, grants, accepts_netrc=workspace.accepts_netrc)
        return Success(Terms(workspace.mode, decision, managed))

    async def _grant(self, unit: Writer, scope: Scope) -> Result[LeaseGrant, LeaseRefusal]:
        issued = await self.issue(unit, scope)
        if failed(issued):
            return issued
        capability = self.capabilities.seal(Claims(scope, self.clock.now()))
        self.redactor.register(capability)
        return Success(LeaseGrant(scope.repository, scope.identity, issued.unwrap(), capability))

    async def _record(
        self, execution: Execution, acp_session: str, known: Json
    ) -> Result[Session, StartProblem]:
        """Write the success, then follow it; what could not be written is ended again."""
        recorded: Result[Session, StartProblem] = Failure(Superseded())
        try:
            recorded = await self._write(execution, acp_session, known)
        finally:
            if failed(recorded):
                await self.runtime.stop(execution.handle)
                await self.runtime.release(execution.handle)
        if not failed(recorded):
            self.followers.follow(execution.handle, 0)
        return recorded

    async def _write(
        self, execution: Execution, acp_session: str, known: Json
    ) -> Result[Session, Superseded]:
        """The one write of a success, unless somebody moved the session on meanwhile."""
        async with self.store.write() as unit:
            current = await unit.session(execution.session)
            if current is None or current.execution != execution.id:
                return Failure(Superseded())
            state = next_state(current.state, Move.STARTED)
            if failed(state):
                return Failure(Superseded())
            started = replace(
                current,
                state=state.unwrap(),
                acp_session=acp_session,
                failure=None,
                metadata={**current.metadata, **known},
            )
            if not await unit.save_session(started):
                return Failure(Superseded())
            await unit.put_execution(replace(execution, state=ExecutionState.LIVE))
        return Success(replace(started, version=started.version + 1))

    async def _fail(self, session: Session, failure: SessionFailure) -> None:
        async with self.store.write() as unit:
            current = await unit.session(session.id)
            if current is None:
                return
            if current.execution is not None and current.execution != session.execution:
                execution = await unit.execution(current.execution)
                if execution is not None:
                    await unit.put_execution(replace(execution, state=ExecutionState.ENDED))
                    at = self.clock.now()
                    await end_leases(unit, at, Why.START_FAILED, execution=execution.id)
            after = fallen(current, failure)
            if after is not None:
                await unit.save_session(after)
