"""The port that redeems leases, answered by a test."""

import asyncio

from domain.lease import LeaseRefusal, Refusal
from domain.outcome import Failure, Result, Success
from domain.secret import Secret
from ports.credentials import CredentialRequest, GitCredential

__all__ = ("FakeCredentials",)


class FakeCredentials:
    """Gives `given` to everybody while `open` is set; `given_up` counts those it stopped serving."""

    def __init__(self) -> None:
        self.given: GitCredential | Refusal = GitCredential("u", Secret("s3cret"), None)
        self.asked: list[CredentialRequest] = []
        self.given_up = 0
        self.fails = False
        self.open = asyncio.Event()
        self.open.set()

    async def __call__(self, request: CredentialRequest) -> Result[GitCredential, LeaseRefusal]:
        self.asked.append(request)
        try:
            await self.open.wait()
        except asyncio.CancelledError:
            self.given_up += 1
            raise
        if self.fails:
            raise RuntimeError("the store is gone")
        if isinstance(self.given, Refusal):
            return Failure(LeaseRefusal(self.given))
        return Success(self.given)
