"""What instances are made of."""

from dataclasses import dataclass
from pathlib import Path

from adapters.agentctl.server.bundle_shelf import BundleShelf
from adapters.agentctl.server.cleaning import clean_event, evidence
from adapters.agentctl.server.conversations import Converse
from adapters.agentctl.server.credential_doctor import CredentialDoctor
from adapters.agentctl.server.equipment import Outfitter
from adapters.agentctl.server.git_explanation import GitExplainer
from adapters.agentctl.server.scripts import Scripts
from domain.agent_bounds import AgentBounds
from domain.redaction import Redactor
from ports.clock import Clock
from ports.git import GitProcess
from ports.processes import Processes, Terminals

__all__ = ("Parts",)


@dataclass(frozen=True, slots=True)
class Parts:
    """Each instance has a directory of its own below `directory`.

    `identity` is the pid and the start time of this agentctl. `processes` start agents, and end
    with one whatever carries its execution's mark; `beside` start what runs beside it, and end that
    alone.
    """

    processes: Processes
    outfitter: Outfitter
    converse: Converse
    redactor: Redactor
    clock: Clock
    directory: Path
    identity: tuple[int, int]
    version: str
    bounds: AgentBounds
    explain: GitExplainer
    examine: CredentialDoctor
    git: GitProcess
    scripts: Scripts
    bundles: BundleShelf
    beside: Processes
    terminals: Terminals

    def clean(self, encoded: bytes) -> bytes:
        """What an agent said, as JSON, without a secret."""
        return clean_event(encoded, self.redactor)

    def evidence(self, line: bytes) -> str:
        """A line of noise, fit to be kept."""
        return evidence(line, self.bounds.noise_line, self.redactor)
