"""No registered value and no telling shape survives, and nothing else is touched."""

import base64
import itertools
import json
from collections.abc import Callable
from urllib.parse import quote, quote_plus

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from domain.outcome import Failure, Success, failed
from domain.redaction import MASK, MAX_VALUES, Redactor, Surface, Unredactable
from domain.secret import Secret
from domain.secret_forms import LITERALS, MIN_VALUE_BYTES, PIECE_CHARACTERS
from tests.requirements import requirement

TOKEN = "9f-3_Qx7/Lm+2Vt!Kd~e8"

words = st.text("abc defgh\n\t.,:;(){}<>|", max_size=30)
values = st.text(min_size=8, max_size=60).filter(
    lambda value: (
        len(value.encode("utf-8", "surrogatepass")) >= MIN_VALUE_BYTES
        and value == value.strip()
        and len(value.splitlines()) == 1
        and value.isprintable()
        and value not in MASK
    )
)


def knowing(*values: str) -> Redactor:
    redactor = Redactor()
    for value in values:
        assert redactor.register(Secret(value)) == Success(None)
    return redactor


def forms(value: str) -> dict[str, str]:
    raw = value.encode()
    return {
        "raw": value,
        "json": json.dumps(value),
        "json, not ASCII": json.dumps(value, ensure_ascii=False),
        "Python": repr(value),
        "URL": quote(value, safe=""),
        "path": quote(value),
        "every byte": "".join(f"%{byte:02X}" for byte in raw),
        "every byte, in lower case": "".join(f"%{byte:02x}" for byte in raw),
        "form": quote_plus(value),
        **{
            f"{name} after {ahead}": encode(bytes(ahead) + raw + b"tail").decode()
            for name, encode in (
                ("base64", base64.b64encode),
                ("urlsafe", base64.urlsafe_b64encode),
            )
            for ahead in range(4)
        },
    }


@requirement("redaction:value")
@pytest.mark.parametrize("form", forms(TOKEN))
def test_a_registered_value_is_masked_in_every_form(form: str) -> None:
    shown = forms(TOKEN)[form]
    redacted = knowing(TOKEN).redact(f"before {shown} after")

    assert redacted.masked == 1
    assert redacted.text.startswith("before ")
    assert redacted.text.endswith(" after")
    assert not any(shown[start : start + 8] in redacted.text for start in range(8, len(shown) - 16))


@requirement("redaction:value")
@pytest.mark.parametrize("innermost", [str, repr])
@pytest.mark.parametrize("only_ascii", list(itertools.product([True, False], repeat=LITERALS - 1)))
def test_a_value_is_masked_inside_literals_inside_literals(
    only_ascii: tuple[bool, ...], innermost: Callable[[str], str]
) -> None:
    value = "k9/Z\"~X\\v2%m\\u00e9'W4é😀Lp"
    redactor = knowing(value)
    text = innermost(value)

    for each in only_ascii:
        text = json.dumps(text, ensure_ascii=each)
        shown = redactor.redact(text).text
        assert shown.count(MASK) == 1
        assert set(shown.replace(MASK, "")) <= set("\\\"'")


@requirement("redaction:value")
def test_hexadecimal_digits_of_an_escape_have_no_case() -> None:
    redactor = knowing("pass/word:one")

    assert redactor.redact("u=pass%2fword%3aone&v").text == f"u={MASK}&v"


@requirement("redaction:value")
@given(values, words, words)
@example("aaaaaaaa", "", "aaa")
@example("ääää", "", "")
@example("=" * 8, "", "=")
def test_any_value_of_eight_bytes_is_masked_wherever_it_stands(
    value: str, before: str, after: str
) -> None:
    redactor = knowing(value)
    for shown in forms(value).values():
        text = redactor.redact(before + shown + after).text

        assert value not in text
        assert shown not in text


@requirement("redaction:value")
@given(st.lists(values, min_size=2, max_size=20, unique=True), words, st.data())
def test_many_values_are_masked_as_one_is(
    registered: list[str], between: str, data: st.DataObject
) -> None:
    shown = data.draw(st.lists(st.sampled_from(registered), min_size=1, max_size=8))
    text = knowing(*registered).redact(between.join(shown)).text

    assert not any(value in text for value in shown)


@requirement("redaction:value")
def test_the_base64_that_shares_bits_with_a_secret_goes_too() -> None:
    shown = base64.b64encode(b"u:" + b"secretly" + b"!").decode()

    assert knowing("secretly").redact(shown).text == f"dT{MASK}E="


@requirement("redaction:value:lines")
def test_a_secret_of_several_lines_is_masked_line_by_line() -> None:
    key = "-----BEGIN KEY-----\nMIIEvQIBADANBgkq\r\nAoIBAQC7VJTUt9Us\nabc\n-----END KEY-----"
    redactor = knowing(key)

    assert redactor.redact(f"1: {key[20:36]}\n2: AoIBAQC7VJTUt9Us.").text == (
        f"1: {MASK}\n2: {MASK}."
    )
    assert redactor.redact("-----BEGIN KEY-----").masked == 0
    assert "TUt9Us" not in redactor.redact(json.dumps(key)).text


@requirement("redaction:value:long")
@pytest.mark.parametrize(
    "length", [PIECE_CHARACTERS, PIECE_CHARACTERS + 1, 3 * PIECE_CHARACTERS + 5]
)
def test_a_long_line_is_masked_whole_and_in_pieces(length: int) -> None:
    value = "".join(chr(ord("!") + index * index % 89) for index in range(length))
    redactor = knowing(value)

    assert redactor.redact(f"<{value}>").text == f"<{MASK}>"
    assert redactor.redact(value[-PIECE_CHARACTERS:]).text == MASK
    assert redactor.longest < 16 * PIECE_CHARACTERS


@requirement("redaction:value:short")
@pytest.mark.parametrize("value", ["", " ", "1234567", " 1234567\n", "1234567\n1234567", "äää1"])
def test_a_short_value_is_refused_and_not_looked_for(value: str) -> None:
    redactor = Redactor()

    assert redactor.register(Secret(value)) == Failure(Unredactable.TOO_SHORT)
    assert redactor.redact(f"x{value}x").masked == 0


@requirement("redaction:value:short")
@pytest.mark.parametrize("value", ["12345678", "ääää"])
def test_a_value_of_the_least_length_is_looked_for(value: str) -> None:
    assert knowing(value).redact(f"x{value}x").text == f"x{MASK}x"


@requirement("redaction:value:many")
def test_as_many_values_as_the_bound_are_held_and_one_more_is_refused() -> None:
    redactor = Redactor()
    held = [f"{index * 7919:08x}" for index in range(1, MAX_VALUES + 1)]
    for value in held:
        assert not failed(redactor.register(Secret(value)))

    assert redactor.register(Secret("one value more")) == Failure(Unredactable.TOO_MANY)
    assert redactor.register(Secret(held[0])) == Success(None)
    assert redactor.redact(held[-1]).text == MASK

    redactor.forget(Secret(held[1]))
    assert redactor.register(Secret("one value more")) == Success(None)


@requirement("redaction:value:forget")
def test_a_value_is_forgotten_as_often_as_it_was_registered() -> None:
    redactor = knowing("long-lived", "long-lived", "long-lived too")

    redactor.forget(Secret("long-lived"))
    assert redactor.redact("long-lived").text == MASK

    redactor.forget(Secret("long-lived"))
    assert redactor.redact("long-lived; long-lived too").text == f"long-lived; {MASK}"

    redactor.forget(Secret("never seen"))
    redactor.forget(Secret("long-lived"))
    assert redactor.redact("long-lived").masked == 0


@requirement("redaction:value:forget")
@given(st.lists(values, min_size=1, max_size=6, unique=True))
def test_forgetting_everything_leaves_nothing_to_look_for(registered: list[str]) -> None:
    redactor = knowing(*registered)
    for value in registered:
        redactor.forget(Secret(value))

    assert redactor.spans(" ".join(registered).encode(), Surface.TRANSCRIPT) == Redactor().spans(
        " ".join(registered).encode(), Surface.TRANSCRIPT
    )


SHAPES = [
    (
        "fatal: https://alice:secret@example.com/acme/w.git",
        "fatal: https://{}@example.com/acme/w.git",
    ),
    ("HTTPS://tok@host", "HTTPS://{}@host"),
    ("https://u:p@ss@host/x", "https://{}@host/x"),
    ("https://u:p/w@host", "https://{}@host"),
    ("ssh://git:pw@host", "ssh://{}@host"),
    ("ssh://git@github.com/x", "ssh://git@github.com/x"),
    ("http://host:8080/x@y", "http://host:8080/x@y"),
    ("https://github.com/actions/checkout@v4", "https://github.com/actions/checkout@v4"),
    ("lease kdl_abcdefgh, capability kdc_abcdefgh, kdt_abcdefgh", "lease {}, capability {}, {}"),
    ("%3Akdl_abcdefgh", "%3A{}"),
    ("mkdir_all is no lease", "mkdir_all is no lease"),
    ("ghp_abcdefghijkl gho_abcdef ghu_abcdef ghs_1_ey.J-x ghr_abcdef", "{} {} {} {} {}"),
    ("github_pat_11ABCDEFG0", "{}"),
    ("glpat-abc.def12 gldt-abcdef glagent-abcdef", "{} {} {}"),
    ("sk-ant-api03-abcdefgh task-1234567890123456", "{} task-1234567890123456"),
    ("xoxb-1234567890-abc npm_abcdefghijklmnopqrst", "{} {}"),
    ("lin_api_abcdefghijklmnopqrst", "{}"),
    ("ATATT3xFfGF0abcdefghijklmnop=1A2B", "{}"),
    ("key AIzaSyA-abcdefghijklmnopqrstuvwxyz12345", "key {}"),
    ("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abc-def", "{}"),
    ("Bearer abc.def-ghi~", "Bearer {}"),
    ("bearer token missing", "bearer token missing"),
    ("Basic dXNlcjpwYXNz", "Basic {}"),
    ("basic authentication, basic configuration", "basic authentication, basic configuration"),
    (
        "-----BEGIN RSA PRIVATE KEY-----\nabc\ndef=\n-----END RSA PRIVATE KEY-----\nafter",
        "{}\nafter",
    ),
    (r'"-----BEGIN PRIVATE KEY-----\nabc\n-----END PRIVATE KEY-----\n"', r'"{}\n"'),
    ("-----BEGIN OPENSSH PRIVATE KEY-----\nabc\ndef [cut]", "{}[cut]"),
    ("-----BEGIN CERTIFICATE-----\nabc", "-----BEGIN CERTIFICATE-----\nabc"),
]

SUSPICIONS = [
    ("Authorization: Bearer abc xyz", "Authorization: {}"),
    ("proxy-authorization=Digest x\nnext", "proxy-authorization={}\nnext"),
    ("Set-Cookie: a=b; c", "Set-Cookie: {}"),
    ('curl -H "Authorization: token x" https://h', 'curl -H "Authorization: {}" https://h'),
    ("remote: token=abc def\nnext line", "remote: token={} def\nnext line"),
    ("my-token: abc", "my-token: {}"),
    ("?private_token=abc&page=1", "?private_token={}&page=1"),
    ("GH_TOKEN=abc", "GH_TOKEN={}"),
    ("PASSWORD = hunter2", "PASSWORD = {}"),
    ('{"token":"a \\" b","user":"bob"}', '{{"token":"{}","user":"bob"}}'),
    ("{'client_secret': 'a b'}", "{{'client_secret': '{}'}}"),
    (r'"{\"api_key\": \"a b\"}"', r'"{{\"api_key\": \"{}\"}}"'),
    ("aws_secret_access_key=abc/def", "aws_secret_access_key={}"),
    ('"token":null,"passphrase":"","tokens":5', '"token":null,"passphrase":"","tokens":5'),
    ("password for host", "password for host"),
]


@requirement("redaction:shape")
@pytest.mark.parametrize(("text", "expected"), SHAPES + SUSPICIONS)
def test_evidence_loses_what_looks_like_a_secret(text: str, expected: str) -> None:
    redacted = Redactor().redact(text)

    assert redacted == (expected.format(*[MASK] * 8), expected.replace("{{", "").count("{}"))


@requirement("redaction:shape:transcript")
@pytest.mark.parametrize(("text", "expected"), SHAPES)
def test_a_transcript_loses_what_is_unmistakable(text: str, expected: str) -> None:
    assert Redactor().redact(text, Surface.TRANSCRIPT).text == expected.format(*[MASK] * 8)


@requirement("redaction:shape:transcript")
@pytest.mark.parametrize(
    "text",
    [
        "token = read()",
        'password: str = Field("")',
        'headers = {"Authorization": f"Bearer {token}"}',
        "api_key=os.environ['X']",
        "cookie: string;",
    ],
)
def test_a_transcript_keeps_source_code(text: str) -> None:
    assert Redactor().redact(text, Surface.TRANSCRIPT) == (text, 0)


def test_a_value_inside_a_shape_is_one_masked_place() -> None:
    redacted = knowing("correct horse").redact('"password": "correct horse battery"')

    assert redacted == (f'"password": "{MASK}"', 1)


@requirement("redaction:cost")
@pytest.mark.parametrize("text", ["", "nothing to see", "ünïcode \U0001f642 \udc80"])
def test_clean_text_comes_back_as_the_same_object(text: str) -> None:
    redactor = knowing(TOKEN)
    encoded = text.encode("utf-8", "surrogatepass")

    assert redactor.redact(text).text is text
    assert redactor.redact(encoded).text is encoded


@requirement("redaction:cost")
@given(st.text() | words, values)
def test_text_and_its_bytes_give_the_same_answer(text: str, value: str) -> None:
    redactor = knowing(value)
    shown = f"{text}{value}\udc80{text}"
    as_text = redactor.redact(shown)
    as_bytes = redactor.redact(shown.encode("utf-8", "surrogatepass"))

    assert as_text.text.encode("utf-8", "surrogatepass") == as_bytes.text
    assert as_text.masked == as_bytes.masked > 0


@requirement("redaction:cost")
@pytest.mark.parametrize(("text", "expected"), SHAPES + SUSPICIONS)
def test_redacting_twice_changes_nothing(text: str, expected: str) -> None:
    redactor = knowing("REDACTED", TOKEN)
    once = redactor.redact(f"{text} {TOKEN}").text

    assert redactor.redact(once) == (once, 0)


HOSTILE = (
    "://",
    "://a:",
    "://a@",
    "-----BEGIN PRIVATE KEY-----a",
    "eyJaaaaaaaa",
    "eyJaaaaaaaa.",
    "token=",
    'token="\\',
    "token='",
    "basic ",
    "bearer a",
    "kdl_",
    "ghp_.",
    "authorization:",
    "api_key\\\\\\\\",
    "aaaaaaaa",
)


@requirement("redaction:cost")
@pytest.mark.timeout(20)
@pytest.mark.parametrize("unit", HOSTILE)
def test_a_hostile_line_of_the_largest_size_takes_linear_time(unit: str) -> None:
    redactor = knowing("aaaaaaaa", *(f"aaaaaaaa{index}" for index in range(4)))
    text = unit * (256 * 1024 // len(unit))

    assert "aaaaaaaa" not in redactor.redact(text).text
