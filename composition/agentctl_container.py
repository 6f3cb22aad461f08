"""What agentctl is made of: which adapter stands behind which port there."""

import errno
import os
import secrets
import socket
from dataclasses import dataclass
from pathlib import Path

from dependency_injector import containers, providers

from adapters.agentctl import process_stat
from adapters.agentctl.proof import Proofs
from adapters.agentctl.server import listening
from adapters.agentctl.server.acp.permissions import Permissions
from adapters.agentctl.server.acp.transport import AgentTransport
from adapters.agentctl.server.app import create_app
from adapters.agentctl.server.bundle_shelf import BundleShelf, Shelving
from adapters.agentctl.server.checkout_git import CheckoutGit
from adapters.agentctl.server.cleanup import Cleanups
from adapters.agentctl.server.conversations import Conversation
from adapters.agentctl.server.credential_doctor import CredentialDoctor
from adapters.agentctl.server.descent import Families
from adapters.agentctl.server.discarding import Discarding
from adapters.agentctl.server.equipment import Outfitter
from adapters.agentctl.server.git_explanation import GitExplainer
from adapters.agentctl.server.git_socket import Surroundings
from adapters.agentctl.server.instances import Instances
from adapters.agentctl.server.launch_check import LaunchCheck
from adapters.agentctl.server.managed_sockets import GitSockets
from adapters.agentctl.server.parts import Parts
from adapters.agentctl.server.presence import Presence
from adapters.agentctl.server.relay import Relay
from adapters.agentctl.server.remains import Recovery
from adapters.agentctl.server.removal import Removal
from adapters.agentctl.server.routes import Core
from adapters.agentctl.server.scripts import Scripts
from adapters.agentctl.server.served_files import ServedFiles
from adapters.agentctl.server.served_terminals import ServedTerminals
from adapters.agentctl.server.tool_sockets import ToolSockets
from adapters.agentctl.server.tools.directory import ManagedTools
from adapters.agentctl.server.worktrees import Workspaces
from adapters.git.lock import worktree_lock
from adapters.git.process import LocalGit
from adapters.process.leftovers import LocalLeftovers
from adapters.process.spawn import LocalProcesses
from adapters.process.terminal import LocalTerminals
from adapters.redactor.registry import Registry
from adapters.system.clock import SystemClock
from composition.settings import VERSION
from domain.agent_bounds import AgentBounds
from domain.redaction import Redactor

__all__ = ("Container", "Place", "listen", "listen_on_loopback", "private")


@dataclass(frozen=True, slots=True)
class Place:
    """`home` keeps logs of events and the managed tools, `runtime` the sockets; both are ours."""

    home: Path
    runtime: Path


async def converse(
    transport: AgentTransport,
    permissions: Permissions,
    terminals: ServedTerminals,
    files: ServedFiles,
    bounds: AgentBounds,
) -> Conversation:
    # The SDK takes most of a second to import: after start, in the background.
    from adapters.agentctl.server.acp.conversation import AcpConversation  # noqa: PLC0415

    return AcpConversation(transport, permissions, terminals, files, bounds)


def private(directory: Path) -> Path:
    """The directory without a link, made where it is missing, for nobody else.

    Raises `OSError` when it is there and another user could look into it.
    """
    directory.mkdir(parents=True, mode=0o700, exist_ok=True)
    facts = directory.stat()
    if facts.st_uid != os.geteuid() or facts.st_mode & 0o077:
        raise PermissionError(errno.EPERM, "others may use this directory", str(directory))
    return directory.resolve()


def listen(runtime: Path) -> socket.socket:
    """A socket of our own under an unguessable name; those of an agentctl that is gone go too."""
    listening.sweep(runtime, "ctl")
    return listening.bind(listening.fresh(runtime, "ctl"))


def listen_on_loopback(port: int) -> socket.socket:
    """A port of this machine's own, any free one for 0. Raises `OSError`."""
    # Named, because asyncio turns Nagle's algorithm off only where the protocol says TCP.
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(("127.0.0.1", port))
        listener.listen()
        listener.setblocking(False)
    except OSError:
        listener.close()
        raise
    return listener


class Container(containers.DeclarativeContainer):
    """One agentctl. `place` and `key` are given; the graph is resolved once, at start."""

    place: providers.Dependency[Place] = providers.Dependency(instance_of=Place)
    key: providers.Dependency[bytes | None] = providers.Dependency()

    directory = providers.Callable(lambda place: place.home / "instances", place)
    identity = providers.Callable(process_stat.ourselves)
    bounds = providers.Singleton(AgentBounds)
    clock = providers.Singleton(SystemClock)
    redactor = providers.Singleton(Redactor)
    registry = providers.Singleton(Registry, redactor)
    presence = providers.Singleton(Presence, clock.provided.monotonic)
    proofs = providers.Singleton(Proofs, key, secrets.token_bytes)
    relay = providers.Singleton(Relay, registry)

    processes = providers.Singleton(LocalProcesses)
    git = providers.Singleton(LocalGit, providers.Singleton(LocalProcesses, None), registry)
    lock = providers.Object(worktree_lock)
    tools = providers.Singleton(
        ManagedTools,
        providers.Callable(lambda place: place.home / "tools", place),
        git,
        os.environ.get("PATH", os.defpath),
    )
    families = providers.Singleton(Families)
    surroundings = providers.Singleton(
        Surroundings,
        relay.provided.credential,
        families,
        registry,
        clock.provided.monotonic,
    )
    runtime = providers.Callable(lambda place: place.runtime, place)
    sockets = providers.Singleton(GitSockets, runtime, tools, surroundings)
    tool_sockets = providers.Singleton(ToolSockets, runtime, tools, families, relay)
    outfitter = providers.Singleton(
        Outfitter,
        providers.Singleton(Workspaces, git, lock),
        sockets,
        tool_sockets,
        providers.Singleton(LaunchCheck, git),
        providers.Object(dict(os.environ)),
        registry,
    )
    scripts = providers.Singleton(
        Scripts,
        processes,
        git,
        redactor,
        terminate=bounds.provided.terminate,
        kill=bounds.provided.kill,
    )
    bundles = providers.Singleton(
        BundleShelf,
        providers.Singleton(
            Shelving,
            providers.Callable(lambda place: place.home / "bundles", place),
            identity,
            providers.Object(process_stat.is_running),
            clock.provided.now,
            providers.Object(secrets.token_bytes),
        ),
    )
    parts = providers.Singleton(
        Parts,
        processes,
        outfitter,
        providers.Object(converse),
        redactor,
        clock,
        directory,
        identity,
        VERSION,
        bounds,
        providers.Singleton(GitExplainer, git, redactor),
        providers.Singleton(CredentialDoctor, git),
        git,
        scripts,
        bundles,
        providers.Singleton(LocalProcesses, None),
        providers.Singleton(LocalTerminals),
    )
    recovery = providers.Singleton(
        Recovery,
        directory,
        providers.Singleton(LocalLeftovers),
        providers.Object(process_stat.is_running),
        clock.provided.now,
        bounds.provided.terminate,
        bounds.provided.kill,
    )
    instances = providers.Singleton(Instances, parts)
    host = providers.Object(dict(os.environ))
    cleanups = providers.Singleton(Cleanups, scripts, sockets, host, directory, identity, registry)
    removal = providers.Singleton(Removal, git, host, clock.provided.now, cleanups, lock)
    checkout_git = providers.Singleton(
        CheckoutGit, git, redactor, providers.Singleton(Discarding, git, clock.provided.now)
    )
    core = providers.Singleton(
        Core,
        instances,
        proofs,
        relay,
        VERSION,
        identity.provided[1],
        removal,
        bundles,
        checkout_git,
    )
    app = providers.Singleton(create_app, core, presence)
