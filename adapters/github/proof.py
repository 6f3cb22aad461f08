"""The proof of an App: a JSON Web Token (RFC 7519) signed with RS256 (RFC 7518, 3.3)."""

import json
from base64 import urlsafe_b64encode
from datetime import datetime
from typing import Final

from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.padding import PKCS1v15
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import load_pem_private_key

from domain.github_app import AppRegistration, claims
from domain.secret import Secret

__all__ = ("proof",)

_HEADER: Final = {"alg": "RS256", "typ": "JWT"}


def proof(registration: AppRegistration, now: datetime) -> Secret | None:
    """A proof for this moment; None when the private key is no RSA key in PEM."""
    try:
        key = load_pem_private_key(registration.private_key.reveal().encode(), password=None)
    except (ValueError, TypeError, UnsupportedAlgorithm):
        return None
    if not isinstance(key, RSAPrivateKey):
        return None
    said = f"{_encoded(_HEADER)}.{_encoded(claims(registration.app_id, now))}"
    signature = key.sign(said.encode(), PKCS1v15(), SHA256())
    return Secret(f"{said}.{_base64(signature)}")


def _encoded(fields: dict[str, str] | dict[str, object]) -> str:
    return _base64(json.dumps(fields, separators=(",", ":")).encode())


def _base64(data: bytes) -> str:
    return urlsafe_b64encode(data).rstrip(b"=").decode()
