"""The shapes by which text betrays a secret that nobody registered.

What a pattern masks is the one group of it that took part. Each begins with something of bounded
length, bounds what it must look ahead, and never crosses a line break except inside a private key:
that keeps matching linear, and lets a stream decide from its last line or its last `REACH` bytes.
"""

import re
from collections.abc import Mapping
from enum import StrEnum
from types import MappingProxyType
from typing import NamedTuple

__all__ = ("LOOKBEHIND", "REACH", "SHAPES", "Shape", "Surface")

REACH = 2048
"""No pattern needs more bytes than this to know that it has begun to match."""

LOOKBEHIND = 3
"""No pattern looks at more bytes before the place where it begins."""

_FLAGS = re.ASCII | re.IGNORECASE
_Q = r"\\{0,4}+[\"']?+"
_SEPARATOR = r"[ \t]{0,8}+[:=][ \t]{0,8}+"
_UNMASKED = r"(?!\[REDACTED\])"
_NOT_A_CONSTANT = r"(?!(?:null|none|nil|true|false|undefined)\b)"
_NOT_PROSE = r"(?!(?:authentication|authorization|tokens?|realm)(?![A-Za-z0-9._~+/=-]))"


class Surface(StrEnum):
    """Where the text will be shown, which decides how much suspicion is worth its price."""

    EVIDENCE = "evidence"
    """Logs, errors, tails of stderr, bundles: whatever stands beside a telling word is masked."""

    TRANSCRIPT = "transcript"
    """What an agent said, source code included: only what is unmistakable is masked."""


class Shape(NamedTuple):
    """A pattern, tried only where the lower-cased text contains its trigger."""

    trigger: str
    pattern: re.Pattern[str]


def _token(trigger: str, pattern: str) -> Shape:
    return Shape(trigger, re.compile(f"({pattern})", re.ASCII))


def _scheme(name: str, ahead: str = "") -> Shape:
    token = rf"{ahead}{_NOT_PROSE}([A-Za-z0-9._~+/=-]{{8,}})"
    return Shape(name, re.compile(rf"\b{name}[ \t]{{1,8}}+{token}", _FLAGS))


def _header(name: str) -> Shape:
    value = rf"{_UNMASKED}{_NOT_A_CONSTANT}([^\r\n\"'\\]+)"
    return Shape(name, re.compile(f"{name}{_Q}{_SEPARATOR}{_Q}{value}", _FLAGS))


def _keyed(trigger: str, names: str) -> Shape:
    value = (
        rf"(?:\"{_UNMASKED}((?:[^\"\\\r\n]|\\.)+)"
        rf"|'{_UNMASKED}((?:[^'\\\r\n]|\\.)+)"
        rf"|\\{{1,4}}+[\"']{_UNMASKED}([^\"'\\\r\n]+)"
        rf"|{_UNMASKED}([^\s\"'\\&,;<>)}}\]]+))"
    )
    pattern = f"(?:{names}){_Q}{_SEPARATOR}{_NOT_A_CONSTANT}{value}"
    return Shape(trigger, re.compile(pattern, _FLAGS))


_PRIVATE_KEY = Shape(
    "private key",
    re.compile(
        r"(-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----"
        r"(?:[A-Za-z0-9+/=\s\\:,.()]|-(?!----))*"
        r"(?:-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----)?)",
        re.ASCII,
    ),
)

_USERINFO = Shape(
    "://",
    re.compile(
        r"(?<=://)(?!git@|\[)"
        r"(?:([^\s/\"'<>\\?#]{1,1024})(?=@)"
        r"|([^\s/@:\"'<>\\?#\[]{0,256}:(?!\d{1,5}[/?#])[^\s@:\"'<>\\]{1,1024})(?=@))",
        re.ASCII,
    ),
)
"""The second form is a password with a `/`, `?` or `#` of its own, which a port is not."""

_UNMISTAKABLE = (
    _token("kd", r"kd[lct]_[A-Za-z0-9_-]{6,}"),
    _token("gh", r"gh[pousr]_[A-Za-z0-9_.-]{6,}"),
    _token("github_pat_", r"github_pat_[A-Za-z0-9_]{6,}"),
    _token("gl", r"gl(?:pat|dt|rt|cbt|ptt|ft|imt|agent|oas|soat)-[A-Za-z0-9_.-]{6,}"),
    _token("sk-", r"(?<![A-Za-z0-9])sk-[A-Za-z0-9_-]{16,}"),
    _token("xox", r"xox[a-z]-[A-Za-z0-9-]{10,}"),
    _token("npm_", r"npm_[A-Za-z0-9]{20,}"),
    _token("lin_api_", r"lin_api_[A-Za-z0-9]{20,}"),
    _token("atatt3", r"ATATT3[A-Za-z0-9_=-]{20,}"),
    _token("aiza", r"AIza[A-Za-z0-9_-]{30,}"),
    _token("eyj", r"(?<![A-Za-z0-9_-])eyJ[A-Za-z0-9_-]{8,512}\.[A-Za-z0-9_.-]{8,}"),
    _PRIVATE_KEY,
    _USERINFO,
    _scheme("bearer"),
    _scheme("basic", ahead="(?=[a-z/+_-]{0,64}(?-i:[A-Z0-9=]))"),
)

_SUSPICIOUS = (
    _header("authorization"),
    _header("cookie"),
    _keyed("token", "token"),
    _keyed("secret", "secret"),
    _keyed("pass", "password|passwd|passphrase"),
    _keyed("key", "(?:api|access|private|secret)[_-]?key"),
)

SHAPES: Mapping[Surface, tuple[Shape, ...]] = MappingProxyType({
    Surface.EVIDENCE: (*_UNMISTAKABLE, *_SUSPICIOUS),
    Surface.TRANSCRIPT: _UNMISTAKABLE,
})
