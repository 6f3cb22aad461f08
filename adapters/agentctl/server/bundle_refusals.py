"""Why agentctl does not take a bundle, or does not let it appear."""

import errno
from typing import Final

from domain.bundle_delivery import Torn
from ports.runtime import RuntimeCode, RuntimeProblem

__all__ = ("GONE", "NO_STAGE", "STALLED", "TOO_LARGE", "UNSAFE", "torn", "unwritable")

GONE: Final = RuntimeProblem(RuntimeCode.NO_INSTANCE, "the agent or the client has left")
NO_STAGE: Final = RuntimeProblem(RuntimeCode.NO_STAGE, "there is no such stage any more")
STALLED: Final = RuntimeProblem(RuntimeCode.BUNDLE_TORN, "the bundle stopped coming")
TOO_LARGE: Final = RuntimeProblem(RuntimeCode.BUNDLE_TOO_LARGE, "the bundle is over its bound")
UNSAFE: Final = RuntimeProblem(
    RuntimeCode.DESTINATION_UNSAFE,
    "something that is not ours stands in .kandev/diagnostics of the workspace",
)


def torn(flaw: Torn) -> RuntimeProblem:
    detail = f"the {flaw.flaw.value} of what arrived is not as announced"
    return RuntimeProblem(RuntimeCode.BUNDLE_TORN, detail)


def unwritable(error: OSError) -> RuntimeProblem:
    if error.errno in {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}:
        return RuntimeProblem(RuntimeCode.DISK_FULL, "no space left for the bundle")
    detail = f"the workspace cannot be written: {error.strerror}"
    return RuntimeProblem(RuntimeCode.DESTINATION_UNWRITABLE, detail)
