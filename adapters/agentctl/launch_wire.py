"""How a launch that is told as it happens comes to its end."""

import msgspec

from adapters.agentctl.wire import Created, Refused

__all__ = ("LaunchEnd",)


class LaunchEnd(msgspec.Struct, frozen=True, tag_field="end", tag="launch"):
    """The last line of a launch that is told as it happens: one of the two."""

    created: Created | None = None
    refused: Refused | None = None
