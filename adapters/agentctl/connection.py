"""The control plane's HTTP connection to one agentctl, which proves itself before it is trusted."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import aclosing, asynccontextmanager
from typing import Final

import httpx2
import msgspec

from adapters.agentctl import proof
from adapters.agentctl.wire import PROTOCOL, Health, Hello, Refused, Welcome
from domain.outcome import Failure, Result, Success, failed
from ports.runtime import RuntimeCode, RuntimeProblem

__all__ = ("AgentctlConnection", "problem_of", "refusal_of", "unreachable")

HANDSHAKE_SECONDS: Final = 10.0
REQUEST_SECONDS: Final = 60.0
"""What agentctl answers from memory, and the end of an agent that resists."""
STALL_SECONDS: Final = 30.0
"""Without a byte of a body taken, or of an answer after it."""
KEEP_SECONDS: Final = 3.0
"""An idle connection is closed here first: a server that closes it races with the next request."""

_refused = msgspec.json.Decoder(Refused)
_welcome = msgspec.json.Decoder(Welcome)
_health = msgspec.json.Decoder(Health)


class AgentctlConnection:
    """Requests to the agentctl that listens at `socket` and knows `key`. Closed by its owner.

    `socket` is the path of a unix socket, or `http://HOST:PORT` where it is reached over TCP.
    """

    def __init__(self, socket: str, key: bytes, random: Callable[[int], bytes]) -> None:
        self.socket = socket
        self._key = key
        self._random = random
        self._session: str | None = None
        self._shaking = asyncio.Lock()
        over_tcp = socket.startswith("http://")
        self._http = httpx2.AsyncClient(
            transport=httpx2.AsyncHTTPTransport(
                uds=None if over_tcp else socket,
                limits=httpx2.Limits(max_connections=None, keepalive_expiry=KEEP_SECONDS),
            ),
            base_url=socket if over_tcp else "http://agentctl",
            timeout=httpx2.Timeout(HANDSHAKE_SECONDS),
            trust_env=False,
        )

    async def close(self) -> None:
        await self._http.aclose()

    async def health(self) -> Result[Health, RuntimeProblem]:
        try:
            answer = await self._http.get("/health", timeout=HANDSHAKE_SECONDS)
            return Success(_health.decode(answer.content))
        except (httpx2.HTTPError, msgspec.DecodeError):
            return Failure(unreachable())

    async def session(self) -> Result[str, RuntimeProblem]:
        """The session to show; the handshake is made once, and both ends prove themselves in it."""
        async with self._shaking:
            if self._session is None:
                shaken = await self._shake()
                if failed(shaken):
                    return shaken
                self._session = shaken.unwrap()
            return Success(self._session)

    async def request(
        self,
        method: str,
        path: str,
        *,
        content: bytes | None = None,
        headers: Mapping[str, str] | None = None,
        seconds: float = REQUEST_SECONDS,
    ) -> Result[httpx2.Response, RuntimeProblem]:
        """An answer below 400, within `seconds`. A session that is no longer known is renewed."""
        answered = await self._send(method, path, content, headers or {}, seconds)
        if not failed(answered) and answered.unwrap().status_code == 401:
            self._session = None
            answered = await self._send(method, path, content, headers or {}, seconds)
        if failed(answered):
            return answered
        answer = answered.unwrap()
        return Failure(problem_of(answer)) if answer.status_code >= 400 else Success(answer)

    @asynccontextmanager
    async def stream(
        self,
        path: str,
        headers: Mapping[str, str],
        *,
        method: str = "GET",
        content: bytes | None = None,
        seconds: float | None = None,
    ) -> AsyncGenerator[httpx2.Response, None]:
        """An answer that is read as it comes, and may be silent for so long, None for ever.

        Raises `ConnectionError` when agentctl is not there, or goes away.
        """
        session = await self.session()
        if failed(session):
            raise ConnectionError(session.failure().detail)
        sent = {**headers, **_headers(session.unwrap(), content)}
        patience = httpx2.Timeout(HANDSHAKE_SECONDS, read=seconds)
        try:
            async with self._http.stream(
                method, path, content=content, headers=sent, timeout=patience
            ) as answer:
                yield answer
        except httpx2.HTTPError as problem:
            raise ConnectionError("agentctl went away") from problem

    async def upload(
        self,
        path: str,
        chunks: Callable[[], AsyncGenerator[bytes, None]],
        headers: Mapping[str, str],
    ) -> Result[httpx2.Response, RuntimeProblem]:
        """PUT a body that is read as it is sent, without a bound on the whole of it.

        Whoever bounds it cancels the call, which closes the connection under the other end.
        """
        answered = await self._upload(path, chunks, headers)
        if not failed(answered) and answered.unwrap().status_code == 401:
            self._session = None
            answered = await self._upload(path, chunks, headers)
        if failed(answered):
            return answered
        answer = answered.unwrap()
        return Failure(problem_of(answer)) if answer.status_code >= 400 else Success(answer)

    async def _upload(
        self,
        path: str,
        chunks: Callable[[], AsyncGenerator[bytes, None]],
        headers: Mapping[str, str],
    ) -> Result[httpx2.Response, RuntimeProblem]:
        session = await self.session()
        if failed(session):
            return session
        sent = {**headers, **_headers(session.unwrap(), None)}
        patience = httpx2.Timeout(STALL_SECONDS)
        try:
            async with aclosing(chunks()) as body:
                return Success(
                    await self._http.put(path, content=body, headers=sent, timeout=patience)
                )
        except httpx2.HTTPError:
            return Failure(unreachable())

    async def _send(
        self,
        method: str,
        path: str,
        content: bytes | None,
        headers: Mapping[str, str],
        seconds: float,
    ) -> Result[httpx2.Response, RuntimeProblem]:
        session = await self.session()
        if failed(session):
            return session
        sent = {**headers, **_headers(session.unwrap(), content)}
        patience = httpx2.Timeout(HANDSHAKE_SECONDS, read=seconds)
        try:
            return Success(
                await self._http.request(
                    method, path, content=content, headers=sent, timeout=patience
                )
            )
        except httpx2.HTTPError:
            return Failure(unreachable())

    async def _shake(self) -> Result[str, RuntimeProblem]:
        nonce = proof.text_of(self._random(proof.NONCE_BYTES))
        hello = msgspec.json.encode(Hello(PROTOCOL, nonce))
        try:
            answer = await self._http.post(
                "/api/v1/handshake",
                content=hello,
                headers={"content-type": "application/json"},
                timeout=HANDSHAKE_SECONDS,
            )
        except httpx2.HTTPError:
            return Failure(unreachable())
        if answer.status_code >= 400:
            return Failure(problem_of(answer))
        try:
            welcome = _welcome.decode(answer.content)
        except msgspec.DecodeError:
            return Failure(RuntimeProblem(RuntimeCode.MISMATCH, "this is not agentctl"))
        if not proof.proves(self._key, nonce, welcome):
            return Failure(RuntimeProblem(RuntimeCode.MISMATCH, "agentctl did not prove itself"))
        return Success(proof.session(self._key, nonce, welcome.nonce))


def _headers(session: str, content: bytes | None) -> dict[str, str]:
    headers = {"authorization": f"Bearer {session}"}
    return headers if content is None else {**headers, "content-type": "application/json"}


def problem_of(answer: httpx2.Response) -> RuntimeProblem:
    """What agentctl refused with."""
    try:
        refused = _refused.decode(answer.content)
    except msgspec.DecodeError:
        return RuntimeProblem(RuntimeCode.PROTOCOL, f"agentctl answered {answer.status_code}")
    return refusal_of(refused)


def refusal_of(refused: Refused) -> RuntimeProblem:
    """The problem that it means; a code of a later agentctl is none of ours."""
    code = next((each for each in RuntimeCode if each.value == refused.code), RuntimeCode.PROTOCOL)
    return RuntimeProblem(code, refused.detail, refused.stderr)


def unreachable() -> RuntimeProblem:
    return RuntimeProblem(RuntimeCode.UNREACHABLE, "agentctl does not answer")
