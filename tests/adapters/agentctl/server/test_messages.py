"""What a line of an agent's says."""

import msgspec
import pytest

from adapters.agentctl.server.acp.messages import Broken, Message, Update, read, read_updates
from tests.requirements import requirement


@requirement("agentctl:protocol:order")
def test_an_update_is_read_by_its_envelope_and_stays_as_it_came() -> None:
    line = b'{"method":"session/update","params":{"update": {"a":[1, 2]},"sessionId":"s"}}'

    update = read(line)

    assert isinstance(update, Update)
    assert (update.session, bytes(update.update)) == ("s", b'{"a":[1, 2]}')


@requirement("agentctl:protocol:requests")
@pytest.mark.parametrize(
    ("line", "answers"),
    [
        (b'{"jsonrpc":"2.0","id":4,"result":{"a":1}}', 4),
        (b'{"jsonrpc":"2.0","id":4,"error":{"code":1,"message":"m"}}', 4),
        (b'{"jsonrpc":"2.0","id":4,"result":null}', 4),
        (b'{"jsonrpc":"2.0","id":"x","method":"fs/read_text_file","params":{}}', None),
        (b'{"jsonrpc":"2.0","method":"of/the_future"}', None),
    ],
)
def test_requests_and_answers_are_for_the_sdk(line: bytes, answers: int | None) -> None:
    assert read(line) == Message(msgspec.json.decode(line), answers)


@requirement("agentctl:protocol:noise")
@pytest.mark.parametrize(
    "line",
    [
        b"npm warn deprecated",
        b"{ printed: 'by a console' }",
        b"{}",
        b'{"method":"session/update","params":{"sessionId":"s"}}',
        b'{"method":"session/update","params":[]}',
        b'{"method":3}',
        b'{"id":1}',
        b'{"id":"a","result":{}}',
        b'{"id":[1],"result":{}}',
        b'{"id":true,"result":{}}',
        b'{"id":1,"error":"broken"}',
        b"[]",
        b"null",
        b"3",
        b"\xff\xfe",
        b"[" * 100_000,
    ],
)
def test_anything_else_is_no_message(line: bytes) -> None:
    assert read(line) is None


@requirement("agentctl:protocol:broken")
@pytest.mark.parametrize(
    "line",
    [
        b'{"method":"session/update","params":{"update":{}',
        b'{"jsonrpc": "2.0", "id": 1, "result": ',
        b' { "id": 1, "result": {}} trailing',
        b'{"id": 1, "result": {"a": npm warn}}',
    ],
)
def test_an_object_that_cannot_be_read_is_a_damaged_message(line: bytes) -> None:
    assert read(line) == Broken()


@requirement("agentctl:protocol:order")
def test_whole_lines_of_updates_are_read_at_once_and_others_one_by_one() -> None:
    first = b'{"method":"session/update","params":{"sessionId":"s","update":{"n":1}}}\n'
    second = first.replace(b"1", b"2")

    read_at_once = read_updates(first + second)

    assert read_at_once is not None
    assert [bytes(each.update) for each in read_at_once] == [b'{"n":1}', b'{"n":2}']
    for other in (b"npm warn\n", b'{"id":1,"result":{}}\n', b'{"method":"session/update"\n'):
        assert read_updates(first + other + second) is None
