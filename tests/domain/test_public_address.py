"""What a proxy may say of a client, and which address is public."""

import pytest

from domain.outcome import Failure, Success
from domain.public_address import (
    FORWARDING,
    InvalidPublicUrl,
    PublicUrl,
    UndeclaredProxy,
    client_address,
    parse_public_url,
)
from tests.requirements import requirement

pytestmark = requirement("rest:proxy")

PUBLIC = PublicUrl("https", "kandev.example")
HOST = "kandev.example"
REFUSED = Failure(UndeclaredProxy())


@pytest.mark.parametrize(
    ("text", "origin", "hosts"),
    [
        ("https://kandev.example", "https://kandev.example", {HOST, f"{HOST}:443"}),
        (" https://Kandev.Example/ ", "https://kandev.example", {HOST, f"{HOST}:443"}),
        ("https://kandev.example:443", "https://kandev.example", {HOST, f"{HOST}:443"}),
        ("http://kandev.example:8080", "http://kandev.example:8080", {f"{HOST}:8080"}),
        ("http://[::1]:80", "http://[::1]", {"[::1]", "[::1]:80"}),
    ],
)
def test_an_address_is_a_scheme_a_host_and_a_port(text: str, origin: str, hosts: set[str]) -> None:
    parsed = parse_public_url(text).unwrap()

    assert parsed.origin == origin
    assert set(parsed.hosts) == hosts


@pytest.mark.parametrize(
    "text",
    [
        "",
        "kandev.example",
        "ftp://kandev.example",
        "https://",
        "https://kandev.example/path",
        "https://kandev.example?q",
        "https://kandev.example#f",
        "https://me@kandev.example",
        "https://kandev.example:0",
        "https://kandev.example:port",
        "https://*.example",
        "https://größe.example",
        "https://[::1",
    ],
)
def test_more_or_less_than_that_is_none(text: str) -> None:
    assert parse_public_url(text) == Failure(InvalidPublicUrl())


@pytest.mark.parametrize("name", sorted(FORWARDING))
def test_who_was_not_declared_says_nothing(name: str) -> None:
    said = {name: "10.0.0.1"}

    assert client_address("127.0.0.1", "127.0.0.1:1", said, None) == REFUSED
    assert client_address("127.0.0.1", "127.0.0.1:1", said, PUBLIC) == REFUSED
    assert client_address("127.0.0.1", "127.0.0.1:1", {}, PUBLIC) == Success("127.0.0.1")


@pytest.mark.parametrize(
    ("said", "address"),
    [
        ({}, "127.0.0.1"),
        ({"x-forwarded-for": "10.0.0.1"}, "10.0.0.1"),
        ({"x-forwarded-for": "6.6.6.6, evil, 10.0.0.1"}, "10.0.0.1"),
        ({"x-forwarded-for": "2001:DB8::1"}, "2001:db8::1"),
        ({"x-real-ip": "10.0.0.1", "x-forwarded-for": "6.6.6.6,10.0.0.1"}, "10.0.0.1"),
        ({"forwarded": "for=6.6.6.6, For=10.0.0.1;proto=https"}, "10.0.0.1"),
        ({"forwarded": 'for="[2001:db8::1]:4711"'}, "2001:db8::1"),
        (
            {
                "x-forwarded-for": "10.0.0.1",
                "x-forwarded-host": "Kandev.example",
                "x-forwarded-proto": "https",
                "x-forwarded-port": "443",
            },
            "10.0.0.1",
        ),
    ],
)
def test_the_declared_proxy_names_the_client_last(said: dict[str, str], address: str) -> None:
    assert client_address("127.0.0.1", HOST, said, PUBLIC) == Success(address)


@pytest.mark.parametrize(
    "said",
    [
        {"x-forwarded-for": "evil"},
        {"x-forwarded-for": ""},
        {"x-forwarded-for": "10.0.0.1, 10.0.0.1:80"},
        {"x-real-ip": "10.0.0.2", "x-forwarded-for": "10.0.0.1"},
        {"forwarded": "proto=https"},
        {"forwarded": "for=_hidden"},
        {"x-forwarded-host": "evil.example"},
        {"x-forwarded-proto": "http"},
        {"x-forwarded-port": "8443"},
        {"x-forwarded-server": HOST},
        {"x-original-url": "/api/v1/users"},
        {"x-rewrite-url": "/api/v1/users"},
    ],
)
def test_what_it_says_and_is_not_so_is_refused(said: dict[str, str]) -> None:
    assert client_address("127.0.0.1", HOST, said, PUBLIC) == REFUSED
