"""A GitHub on loopback: a forge with an API, whose token is the one that an App minted last."""

import base64
import json
import threading
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.asymmetric.padding import PKCS1v15
from cryptography.hazmat.primitives.hashes import SHA256
from typing_extensions import override

from adapters.forge.forge import HOLD_SECONDS, Forge
from adapters.forge.server import Answer, Request

__all__ = ("APP_ID", "INSTALLATION", "KEY", "FakeGithub", "pem")

APP_ID = 4711
INSTALLATION = 815
KEY = rsa.generate_private_key(public_exponent=65537, key_size=2048)
_API = "/api/v3"


def pem(key: rsa.RSAPrivateKey = KEY) -> str:
    return key.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.TraditionalOpenSSL,
        serialization.NoEncryption(),
    ).decode()


class FakeGithub(Forge):
    """Takes proofs of one App, for one installation; counts what it mints.

    `now` is its clock. `refuse` is the status that it answers every question of the API with.
    Whoever shows the forge's token may ask who that is; `hold_users` has them wait for the answer.
    """

    def __init__(self, root: Path, now: Callable[[], datetime] = lambda: datetime.now(UTC)) -> None:
        super().__init__(root, "nothing-was-minted-yet")
        self._now = now
        self.life = timedelta(hours=1)
        self.refuse: int | None = None
        self.minted: list[list[str]] = []
        self.at_once = 0
        self.most_at_once = 0
        self._minting = threading.Lock()
        self._answering = threading.Event()
        self._answering.set()
        self._asked = threading.Event()

    def hold_users(self) -> None:
        self._answering.clear()

    def wait_for_user(self, seconds: float) -> bool:
        """Whether a question that is held came within `seconds`."""
        return self._asked.wait(seconds)

    def release_users(self) -> None:
        self._answering.set()

    @override
    def _respond(self, request: Request) -> Answer:
        if not request.target.startswith(f"{_API}/"):
            return super()._respond(request)
        if self.refuse is not None:
            return _answer(self.refuse, {"message": "refused"})
        if (request.method, request.target) == ("GET", f"{_API}/user"):
            return self._user(request.headers.get("authorization", ""))
        if not self._proves(request.headers.get("authorization", "")):
            return _answer(401, {"message": "A JSON web token could not be decoded"})
        match request.method, request.target.removeprefix(_API).split("/")[1:]:
            case "GET", ["app"]:
                return _answer(200, {"id": APP_ID, "slug": "kandev-bot", "name": "Kandev Bot"})
            case "GET", ["repos", "acme", _, "installation"]:
                return _answer(200, {"id": INSTALLATION, "account": {"login": "acme"}})
            case "POST", ["app", "installations", number, "access_tokens"]:
                known = number == str(INSTALLATION)
                return self._mint(json.loads(request.body)) if known else _answer(404, {})
            case _:
                return _answer(404, {"message": "Not Found"})

    def _user(self, authorization: str) -> Answer:
        if authorization != f"token {self.token}":
            return _answer(401, {"message": "Bad credentials"})
        self._asked.set()
        self._answering.wait(HOLD_SECONDS)
        return _answer(200, {"login": "robot"})

    def _mint(self, asked: dict[str, Any]) -> Answer:
        with self._minting:
            self.at_once += 1
            self.most_at_once = max(self.most_at_once, self.at_once)
        with self._minting:
            self.minted.append(asked["repositories"])
            self.token = f"ghs_minted-{len(self.minted):04}-{'x' * 24}"
            expires = (self._now() + self.life).strftime("%Y-%m-%dT%H:%M:%SZ")
            self.at_once -= 1
        return _answer(201, {"token": self.token, "expires_at": expires})

    def _proves(self, authorization: str) -> bool:
        """RS256 over a claim of this App's that is not from the future and ends within 10 minutes."""
        scheme, _, token = authorization.partition(" ")
        parts = token.split(".")
        if scheme != "Bearer" or len(parts) != 3:
            return False
        header, claims = (json.loads(_decoded(part)) for part in parts[:2])
        try:
            KEY.public_key().verify(
                _decoded(parts[2]), ".".join(parts[:2]).encode(), PKCS1v15(), SHA256()
            )
        except InvalidSignature:
            return False
        now = int(self._now().timestamp())
        lives = claims["iat"] <= now < claims["exp"] <= now + 600
        return bool(
            header == {"alg": "RS256", "typ": "JWT"} and claims["iss"] == str(APP_ID) and lives
        )


def _answer(status: int, body: dict[str, Any]) -> Answer:
    return Answer(status, (("Content-Type", "application/json"),), json.dumps(body).encode())


def _decoded(text: str) -> bytes:
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
