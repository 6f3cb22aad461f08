"""The control plane's end of a delivery: an archive that is sent as it is read."""

from typing import Final
from urllib.parse import quote

import msgspec
from typing_extensions import override

from adapters.agentctl import wire
from adapters.agentctl.runtime import Keeper
from domain.bundle_path import BundleId
from domain.execution import Handle
from domain.outcome import Failure, Result, Success, failed
from ports.bundle_sink import BundleSink, Consignment, Delivered, StageToken
from ports.runtime import RuntimeCode, RuntimeProblem

__all__ = ("AgentctlBundleSink",)

_staged: Final = msgspec.json.Decoder(wire.Staged)
_delivered: Final = msgspec.json.Decoder(wire.Delivered)

_ABSENT: Final = RuntimeProblem(RuntimeCode.NO_INSTANCE, "no agentctl runs")
_NONSENSE: Final = RuntimeProblem(RuntimeCode.PROTOCOL, "agentctl answered what is not understood")


class AgentctlBundleSink(BundleSink):
    def __init__(self, keeper: Keeper) -> None:
        self._keeper = keeper

    @override
    async def stage(
        self, handle: Handle, consignment: Consignment
    ) -> Result[StageToken, RuntimeProblem]:
        connection = self._keeper.present()
        if connection is None:
            return Failure(_ABSENT)
        headers = {
            **_named(handle),
            "content-type": "application/zip",
            "content-length": str(consignment.length),
            wire.LENGTH_HEADER: str(consignment.length),
            wire.CRC_HEADER: f"{consignment.crc32:08x}",
        }
        path = _path(handle, consignment.bundle)
        answer = await connection.upload(path, consignment.chunks, headers)
        if failed(answer):
            return answer
        try:
            return Success(StageToken(_staged.decode(answer.unwrap().content).stage))
        except msgspec.DecodeError:
            return Failure(_NONSENSE)

    @override
    async def commit(
        self, handle: Handle, bundle: BundleId, stage: StageToken
    ) -> Result[Delivered, RuntimeProblem]:
        connection = self._keeper.present()
        if connection is None:
            return Failure(_ABSENT)
        answer = await connection.request(
            "POST",
            f"{_path(handle, bundle)}/commit",
            content=msgspec.json.encode(wire.Stage(stage.text)),
            headers=_named(handle),
        )
        if failed(answer):
            return answer
        try:
            told = _delivered.decode(answer.unwrap().content)
        except msgspec.DecodeError:
            return Failure(_NONSENSE)
        return Success(Delivered(told.path, told.absolute_path))

    @override
    async def discard(self, handle: Handle, bundle: BundleId, stage: StageToken) -> None:
        connection = self._keeper.present()
        if connection is not None:
            path = f"{_path(handle, bundle)}/stages/{quote(stage.text, safe='')}"
            await connection.request("DELETE", path, headers=_named(handle))


def _path(handle: Handle, bundle: BundleId) -> str:
    return f"/api/v1/instances/{quote(handle.execution, safe='')}/bundles/{bundle}"


def _named(handle: Handle) -> dict[str, str]:
    return {wire.TASK_HEADER: handle.task, wire.SESSION_HEADER: handle.session}
