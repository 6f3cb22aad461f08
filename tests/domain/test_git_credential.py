"""Git's credential protocol on the instance's socket."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.git_credential import (
    MAX_LINE_BYTES,
    MAX_REQUEST_BYTES,
    Action,
    Fault,
    MalformedRequest,
    Mismatch,
    OutOfScope,
    Request,
    Unanswerable,
    answer,
    match,
    parse,
)
from domain.outcome import Failure, Success, failed
from domain.repository import RepositoryIdentity
from domain.secret import Secret
from tests.requirements import requirement

REPO = RepositoryIdentity("h.example", "/org/repo")
SCOPES = (REPO, RepositoryIdentity("h.example:8443", "/x"), RepositoryIdentity("[::1]:8443", "/x"))
HEAD = b"action=get\ntimeout=900\n"


def ask(
    *, protocol: str | None = "https", host: str | None = "h.example", path: str | None = "org/repo"
) -> Request:
    return Request(Action.GET, protocol, host, path)


@requirement("credentials:protocol:read")
@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (
            HEAD + b"protocol=https\nhost=h.example\npath=org/repo.git\n\n",
            Request(Action.GET, "https", "h.example", "org/repo.git"),
        ),
        (HEAD + b"protocol=https\nhost=h.example", Request(Action.GET, "https", "h.example")),
        (HEAD + b"host=one\nhost=two\n", Request(Action.GET, host="two")),
        (HEAD + b"host=h\r\npath=p\r\n", Request(Action.GET, host="h", path="p")),
        (HEAD + b"host=h\n\r\npath=p\n", Request(Action.GET, host="h")),
        (HEAD + b"host=one\n\nhost=two\n", Request(Action.GET, host="one")),
        (HEAD + b"host= h \n", Request(Action.GET, host=" h ")),
        (HEAD + b"host=\n", Request(Action.GET, host="")),
        (HEAD + b"path=a=b\n", Request(Action.GET, path="a=b")),
        (HEAD + b"Host=h\nHOST=h\nfoo=bar\nfoo[]=1\n=x\n", Request(Action.GET)),
        (HEAD + b"username=al\xffice\n", Request(Action.GET, username="al\udcffice")),
        (HEAD + b"action=erase\ntimeout=1\n", Request(Action.GET)),
        (
            HEAD + b"capability[]=authtype\ncapability[]=state\ncapability[]=\n",
            Request(Action.GET, capabilities=frozenset({"authtype", "state", ""})),
        ),
        (HEAD + b"wwwauth[]=Basic realm=x\nwwwauth[]=\nhost=h\n", Request(Action.GET, host="h")),
        (HEAD + b"state[]=a:1\nephemeral=1\nurlx=1\n", Request(Action.GET)),
        (b"action=get", Request(Action.GET)),
        (
            b"action=erase\ntimeout=900\nhost=h\nusername=u\npassword=p=w \n",
            Request(Action.ERASE, host="h", username="u", password=Secret("p=w ")),
        ),
    ],
)
def test_a_request_is_read_as_git_reads_it(data: bytes, expected: Request) -> None:
    assert parse(data) == Success(expected)


@requirement("credentials:protocol:malformed")
@pytest.mark.parametrize(
    ("data", "fault"),
    [
        (b"", Fault.ACTION),
        (b"\n", Fault.ACTION),
        (b"\naction=get\n", Fault.ACTION),
        (b"protocol=https\nhost=h\n", Fault.ACTION),
        (b"timeout=900\naction=get\n", Fault.ACTION),
        (b"action=store\ntimeout=900\n", Fault.ACTION),
        (b"action=exit\n", Fault.ACTION),
        (b"action=get \n", Fault.ACTION),
        (b"action=GET\n", Fault.ACTION),
        (b" action=get\n", Fault.ACTION),
        (HEAD + b"junk\nhost=h\n", Fault.NO_EQUALS),
        (HEAD + b" \n", Fault.NO_EQUALS),
        (HEAD + b"host=a\rb\n", Fault.CARRIAGE_RETURN),
        (HEAD + b"host=a\r\r\n", Fault.CARRIAGE_RETURN),
        (HEAD + b"host=h.example\0.evil\n", Fault.NUL),
        (HEAD + b"foo=\0\n", Fault.NUL),
        (HEAD + b"url=https://h.example/org/repo\n", Fault.URL),
        (HEAD + b"x=".ljust(MAX_LINE_BYTES, b"y") + b"\n", Fault.LINE_TOO_LONG),
        (HEAD.ljust(MAX_REQUEST_BYTES + 1, b"\n"), Fault.TOO_LONG),
    ],
)
def test_what_git_would_cut_or_refuse_is_refused(data: bytes, fault: Fault) -> None:
    assert parse(data) == Failure(MalformedRequest(fault))


@requirement("credentials:protocol:bounds")
def test_a_line_and_a_request_may_be_as_long_as_the_bounds() -> None:
    line = b"wwwauth[]=".ljust(MAX_LINE_BYTES - 1, b"y") + b"\n"
    request = (HEAD + b"host=h\n" + line * 3).ljust(MAX_REQUEST_BYTES, b"\n")

    assert len(line) == MAX_LINE_BYTES
    assert len(request) == MAX_REQUEST_BYTES
    assert parse(request) == Success(Request(Action.GET, host="h"))


def test_a_password_in_a_request_does_not_print() -> None:
    request = parse(b"action=erase\npassword=hunter2\n").unwrap()

    assert "hunter2" not in repr(request)


@requirement("credentials:protocol:match")
@pytest.mark.parametrize(
    ("request_", "expected"),
    [
        (ask(), REPO),
        (ask(path="org/repo.git"), REPO),
        (ask(path="/org/repo/"), REPO),
        (ask(host="H.Example"), REPO),
        (ask(host="h.example:443"), REPO),
        (ask(path="org/repo.git/info/lfs"), REPO),
        (ask(path="org/repo.git/info/lfs/objects/batch"), REPO),
        (ask(host="h.example:8443", path="x"), SCOPES[1]),
        (ask(host="[::1]:8443", path="x"), SCOPES[2]),
        (ask(protocol="http"), Mismatch.PROTOCOL),
        (ask(protocol="HTTPS"), Mismatch.PROTOCOL),
        (ask(protocol="ssh"), Mismatch.PROTOCOL),
        (ask(protocol=""), Mismatch.PROTOCOL),
        (ask(protocol=None), Mismatch.PROTOCOL),
        (ask(host=None), Mismatch.NO_HOST),
        (ask(host=""), Mismatch.NO_HOST),
        (ask(path=None), Mismatch.NO_PATH),
        (ask(path=""), Mismatch.NO_PATH),
        (ask(path="/"), Mismatch.UNREADABLE),
        (ask(path="org/../org/repo"), Mismatch.UNREADABLE),
        (ask(path="org//repo"), Mismatch.UNREADABLE),
        (ask(path="org/repo\udcff"), Mismatch.UNREADABLE),
        (ask(path="org/repo.git\thost=evil"), Mismatch.UNREADABLE),
        (ask(host="h.example/evil"), Mismatch.UNREADABLE),
        (ask(host="evil@h.example"), Mismatch.UNREADABLE),
        (ask(host="h.example."), Mismatch.UNREADABLE),
        (ask(host="bücher.example"), Mismatch.UNREADABLE),
        (ask(host=" h.example"), Mismatch.UNREADABLE),
        (ask(host="sub.h.example"), Mismatch.OTHER_HOST),
        (ask(host="h.example.evil"), Mismatch.OTHER_HOST),
        (ask(host="h.example:9443"), Mismatch.OTHER_HOST),
        (ask(path="Org/Repo"), Mismatch.OTHER_REPOSITORY),
        (ask(path="org/repo2"), Mismatch.OTHER_REPOSITORY),
        (ask(path="org/repo-staging.git"), Mismatch.OTHER_REPOSITORY),
        (ask(path="org"), Mismatch.OTHER_REPOSITORY),
        (ask(path="org/repo/info/lfs"), Mismatch.OTHER_REPOSITORY),
        (ask(path="org/repo?x=1"), Mismatch.OTHER_REPOSITORY),
        (ask(path="org/rep%6f"), Mismatch.OTHER_REPOSITORY),
    ],
)
def test_a_scope_is_https_an_exact_host_and_an_exact_path(
    request_: Request, expected: RepositoryIdentity | Mismatch
) -> None:
    wanted = Failure(OutOfScope(expected)) if isinstance(expected, Mismatch) else Success(expected)

    assert match(request_, SCOPES) == wanted


@requirement("credentials:protocol:answer")
def test_an_answer_has_the_credential_and_nothing_that_redirects_git() -> None:
    assert answer(ask(), "x-access-token", Secret("s3cret"), None) == Success(
        b"username=x-access-token\npassword=s3cret\n\n"
    )


@requirement("credentials:protocol:answer")
def test_an_answer_carries_the_expiry_of_the_secret() -> None:
    assert answer(ask(), "u", Secret("p"), 1_790_000_000) == Success(
        b"username=u\npassword=p\npassword_expiry_utc=1790000000\n\n"
    )


@requirement("credentials:protocol:answer")
def test_an_answer_is_ephemeral_for_a_git_that_says_it_understands() -> None:
    capable = Request(Action.GET, capabilities=frozenset({"authtype", "state"}))

    assert answer(capable, "u", Secret("p"), 7) == Success(
        b"capability[]=authtype\nusername=u\npassword=p\npassword_expiry_utc=7\nephemeral=1\n\n"
    )
    assert answer(
        Request(Action.GET, capabilities=frozenset({"state"})), "u", Secret("p"), None
    ) == (Success(b"username=u\npassword=p\n\n"))


@requirement("credentials:protocol:answer")
@pytest.mark.parametrize("bad", ["", "a\nb", "a\rb", "a\0b", "a\n", chr(0xD800), chr(0xDFFF)])
def test_a_value_that_would_become_another_line_is_not_said(bad: str) -> None:
    assert answer(ask(), bad, Secret("p"), None) == Failure(Unanswerable())
    assert answer(ask(), "u", Secret(bad), None) == Failure(Unanswerable())


@pytest.mark.parametrize(("username", "expires"), [("a:b", None), ("u", 0), ("u", -1)])
def test_what_git_would_read_as_something_else_is_not_said(
    username: str, expires: int | None
) -> None:
    assert answer(ask(), username, Secret("p"), expires) == Failure(Unanswerable())


PIECES = st.sampled_from([
    b"host=",
    b"path=",
    b"protocol=https",
    b"username=u",
    b"password=",
    b"capability[]=authtype",
    b"wwwauth[]=Basic",
    b"action=get",
    b"url=",
    b"=",
    b"\n",
    b"\n",
    b"\n",
    b"\r\n",
    b"\r",
    b"\0",
    b"\xff",
    b"h.example",
    b"org/repo",
    b" ",
])


def _model(data: bytes) -> dict[str, str] | None:
    """The attributes that git would have, or None where it would stop or cut: byte by byte."""
    block: list[bytes] = []
    line = b""
    for octet in (*data, *b"\n"):
        if octet != 10:
            line += bytes([octet])
            continue
        line = line[:-1] if line.endswith(b"\r") else line
        if line == b"":
            break
        block.append(line)
        line = b""
    if block[:1] not in ([b"action=get"], [b"action=erase"]):
        return None
    attributes: dict[str, str] = {}
    for attribute in block[1:]:
        if b"\0" in attribute or b"\r" in attribute or b"=" not in attribute:
            return None
        if attribute.startswith(b"url="):
            return None
        equals = attribute.index(b"=")
        key = attribute[:equals].decode("utf-8", "surrogateescape")
        attributes[key] = attribute[equals + 1 :].decode("utf-8", "surrogateescape")
    return attributes


@requirement("credentials:protocol:read")
@given(st.lists(PIECES, max_size=24).map(b"".join), st.booleans())
def test_any_bytes_are_read_as_the_model_reads_them(tail: bytes, headed: bool) -> None:
    data = (HEAD if headed else b"") + tail
    outcome, expected = parse(data), _model(data)

    if failed(outcome):
        assert expected is None
        return
    request = outcome.unwrap()
    assert expected is not None
    assert [request.protocol, request.host, request.path, request.username] == [
        expected.get(name) for name in ("protocol", "host", "path", "username")
    ]
    assert (request.password.reveal() if request.password else None) == expected.get("password")


@given(st.binary(max_size=200))
def test_any_bytes_get_a_verdict(data: bytes) -> None:
    outcome = parse(data)

    assert failed(outcome) or outcome.unwrap().action in Action


LINE = st.text(st.characters(codec="utf-8", exclude_characters="\n\r\0"), min_size=1, max_size=20)


@given(LINE.filter(lambda name: ":" not in name), LINE, st.none() | st.integers(1, 2**40))
def test_an_answer_reads_back_as_what_was_said(
    username: str, password: str, expires: int | None
) -> None:
    said = answer(ask(), username, Secret(password), expires).unwrap()
    heard = parse(b"action=get\n" + said).unwrap()

    assert (heard.username, heard.password) == (username, Secret(password))
    assert (heard.protocol, heard.host, heard.path) == (None, None, None)
