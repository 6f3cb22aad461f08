"""Which requests a server on loopback takes."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.http_door import Asked, Reason, Refused, admit, loopback_hosts
from domain.outcome import Failure, Success, failed

HOSTS = loopback_hosts("127.0.0.1", 38429)
OWN = "127.0.0.1:38429"


def asked(
    method: str = "POST",
    host: str | None = OWN,
    origin: str | None = None,
    site: str | None = None,
    content_type: str | None = "application/json",
    has_body: bool = True,
) -> Asked:
    return Asked(method, host, origin, site, content_type, has_body)


@pytest.mark.parametrize(
    ("host", "port", "expected"),
    [
        ("127.0.0.1", 38429, {"127.0.0.1:38429", "localhost:38429", "[::1]:38429"}),
        ("::1", 1, {"127.0.0.1:1", "localhost:1", "[::1]:1"}),
        (
            "localhost",
            80,
            {"127.0.0.1:80", "localhost:80", "[::1]:80", "127.0.0.1", "localhost", "[::1]"},
        ),
    ],
)
def test_a_loopback_server_has_its_names_with_its_port(
    host: str, port: int, expected: set[str]
) -> None:
    assert loopback_hosts(host, port) == expected


@pytest.mark.parametrize("host", [*sorted(HOSTS), "LOCALHOST:38429"])
@pytest.mark.parametrize("method", ["GET", "HEAD", "OPTIONS", "POST", "PUT", "DELETE", "PATCH"])
def test_its_own_clients_are_taken(method: str, host: str) -> None:
    assert admit(asked(method, host), HOSTS) == Success("")
    assert admit(asked(method, host, f"http://{host}", "same-origin"), HOSTS) == Success("")


@pytest.mark.parametrize(
    ("request_", "reason"),
    [
        (asked(host=None), Reason.HOST),
        (asked(host=""), Reason.HOST),
        (asked(host="localhost"), Reason.HOST),
        (asked(host="localhost:1"), Reason.HOST),
        (asked(host="evil.example:38429"), Reason.HOST),
        (asked(host="127.0.0.1:38429, 127.0.0.1:38429"), Reason.HOST),
        (asked(origin="null"), Reason.ORIGIN),
        (asked(origin=""), Reason.ORIGIN),
        (asked(origin="http://evil.example"), Reason.ORIGIN),
        (asked(origin="http://localhost:38429"), Reason.ORIGIN),
        (asked(origin=f"http://{OWN}.evil.example"), Reason.ORIGIN),
        (asked(origin=f"http://evil@{OWN}"), Reason.ORIGIN),
        (asked(origin=f"ftp://{OWN}"), Reason.ORIGIN),
        (asked(origin="http://[:38429"), Reason.ORIGIN),
        (asked(site="cross-site"), Reason.SITE),
        (asked(site="same-site"), Reason.SITE),
        (asked(site="anything"), Reason.SITE),
        (asked(content_type=None), Reason.CONTENT_TYPE),
        (asked(content_type="text/plain"), Reason.CONTENT_TYPE),
        (asked(content_type="text/plain; a=application/json"), Reason.CONTENT_TYPE),
        (asked(content_type="application/jsonp"), Reason.CONTENT_TYPE),
        (asked(method="DELETE", content_type="text/plain"), Reason.CONTENT_TYPE),
    ],
)
def test_what_a_page_of_another_site_could_send_is_refused(request_: Asked, reason: Reason) -> None:
    assert admit(request_, HOSTS) == Failure(Refused(reason))


@pytest.mark.parametrize("method", ["GET", "HEAD", "OPTIONS", "DELETE"])
def test_reading_from_another_site_is_refused_as_well(method: str) -> None:
    for foreign in (asked(method, origin="http://evil.example"), asked(method, site="cross-site")):
        assert failed(admit(foreign, HOSTS))


@pytest.mark.parametrize("method", ["GET", "POST"])
def test_without_a_body_no_type_is_needed(method: str) -> None:
    assert admit(asked(method, content_type=None, has_body=False), HOSTS) == Success("")


@given(
    st.text(max_size=30) | st.none(),
    st.text(max_size=30) | st.none(),
    st.text(max_size=30) | st.none(),
    st.text(max_size=30) | st.none(),
)
def test_whatever_headers_hold_only_the_known_names_come_in(
    host: str | None, origin: str | None, site: str | None, content_type: str | None
) -> None:
    outcome = admit(Asked("POST", host, origin, site, content_type, True), HOSTS)

    assert failed(outcome) or (host or "").lower() in HOSTS
