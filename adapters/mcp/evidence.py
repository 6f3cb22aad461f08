"""The tool that gives an agent the evidence of what happened, as a file in its own workspace."""

import json
from collections.abc import Awaitable, Callable
from typing import Any

from adapters.mcp.answers import DiagnosticBundle
from adapters.mcp.arguments import GetDiagnosticBundle
from adapters.mcp.backend import Backend
from domain.outcome import Result, Success, failed
from domain.principal import Principal
from pipelines.deliver_bundle import BundleDelivery, DeliverProblem, Step

__all__ = ("get_diagnostic_bundle",)


async def get_diagnostic_bundle(
    backend: Backend,
    principal: Principal,
    asked: GetDiagnosticBundle,
    progress: Callable[[str], Awaitable[None]],
) -> Result[DiagnosticBundle, DeliverProblem]:
    async def tell(step: Step, done: int, total: int) -> None:
        await progress(f"{step.value}: {done} of {total} bytes" if total else step.value)

    delivered = await backend.deliver_bundle(principal, asked.source, tell)
    return delivered if failed(delivered) else Success(answer(delivered.unwrap()))


def answer(delivery: BundleDelivery) -> DiagnosticBundle:
    """What the manifest says, without what it says of the machine."""
    manifest: dict[str, Any] = json.loads(delivery.manifest)  # our own, as it was encoded
    return DiagnosticBundle(
        bundle_id=delivery.bundle,
        path=delivery.delivered.path,
        absolute_path=delivery.delivered.absolute_path,
        bytes=delivery.length,
        status=delivery.state.value,
        age_seconds=delivery.age.total_seconds(),
        requested_sources=manifest["requested_sources"],
        included_sources=manifest["included_sources"],
        files=manifest["entries"],
        omitted_bytes=manifest["omitted_bytes"],
        losses=manifest["losses"],
        redactions=manifest["redactions"],
        warnings=manifest["warnings"],
    )
