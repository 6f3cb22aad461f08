"""What is kept of an agent's words as evidence, and that no secret is in it."""

import json

import pytest

from adapters.agentctl.server.cleaning import clean_event, evidence
from adapters.agentctl.server.stderr_tail import StderrTail
from domain.agent_bounds import AgentBounds
from domain.redaction import Redactor
from domain.secret import Secret
from tests.requirements import requirement

SECRET = "correct-horse-battery"
QUOTED = 'a"quoted"secret\\value'


@pytest.fixture
def redactor() -> Redactor:
    opened = Redactor()
    for value in (SECRET, QUOTED):
        opened.register(Secret(value)).unwrap()
    return opened


@requirement("events:redacted")
@pytest.mark.parametrize(
    "body",
    [
        {"text": f"before {SECRET} after"},
        {"text": QUOTED},
        {f"name {SECRET}": {"deep": [1, {"deeper": f"{SECRET}{SECRET}"}]}},
        {"raw_output": json.dumps({"token": SECRET})},
        {"text": f"Basic {SECRET}", "other": QUOTED},
    ],
)
def test_an_event_without_its_secrets_is_still_json(
    body: dict[str, object], redactor: Redactor
) -> None:
    cleaned = clean_event(json.dumps(body).encode(), redactor)

    assert SECRET.encode() not in cleaned
    assert QUOTED not in str(json.loads(cleaned))
    assert "[REDACTED]" in str(json.loads(cleaned))
    assert set(map(type, json.loads(cleaned).values())) == set(map(type, body.values()))


@requirement("events:redacted")
def test_an_event_without_a_secret_stays_as_it_is(redactor: Redactor) -> None:
    encoded = b'{"text":"nothing to see"}'

    assert clean_event(encoded, redactor) is encoded


@requirement("agentctl:stderr")
def test_the_last_fifty_lines_of_stderr_are_kept(redactor: Redactor) -> None:
    tail = StderrTail(AgentBounds().stderr_lines, 100, redactor)

    for number in range(60):
        tail.feed(f"line {number}\nhalf".encode()[:-2])
        tail.feed(b"\n")

    shown = tail.text().split("\n")
    assert len(shown) == 50
    assert shown[-1] == "ha"


@requirement("agentctl:stderr")
def test_stderr_is_shown_without_escape_sequences_and_secrets(redactor: Redactor) -> None:
    tail = StderrTail(10, 100, redactor)

    tail.feed(b"\x1b[31mred\x1b[0m \x1b]0;title\x07plain\r\n")
    tail.feed(f"password {SECRET[:5]}".encode())
    tail.feed(SECRET[5:].encode() + b"\xff\n")

    assert tail.text() == "red plain\npassword [REDACTED]\ufffd"


@requirement("agentctl:stderr")
def test_a_long_line_is_cut_and_shows_no_part_of_a_secret(redactor: Redactor) -> None:
    tail = StderrTail(10, 40, redactor)

    tail.feed(b"x" * 30 + SECRET.encode() + b"y" * 1_000_000)

    assert tail.text() == "x" * 30 + "[REDACTED]"


@requirement("agentctl:protocol:noise")
def test_noise_is_cut_and_shows_no_part_of_a_secret(redactor: Redactor) -> None:
    line = b"x" * 30 + SECRET.encode() + b"y" * 1_000_000

    assert evidence(line, 40, redactor) == "x" * 30 + "[REDACTED]"
    assert evidence(b"\xffshort", 40, redactor) == "\ufffdshort"
