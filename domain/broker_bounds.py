"""How long and how much a question about a credential may take, on its way through agentctl."""

from dataclasses import dataclass
from typing import Final

__all__ = ("MAX_FRAME_BYTES", "BrokerBounds")

MAX_FRAME_BYTES: Final = 8 * 1024 * 1024
"""A frame of the relay, either way: more than a message of the tools."""


@dataclass(frozen=True, slots=True)
class BrokerBounds:
    """Tests shorten them; nothing else does."""

    question: float = 10.0
    """Seconds from a connection to the end of its question."""

    restart: float = 30.0
    """Seconds that a question waits for a control plane to come, or to come back, and answer."""

    questions: int = 64
    """Connections of one instance served at once; more wait to be served."""

    in_flight: int = 256
    """Questions on the relay at once, over all instances; more wait, within `restart`."""

    close: float = 1.0
    """Seconds for a relay's connection to close before it is dropped."""
