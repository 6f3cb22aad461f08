"""The identity of a repository, spelling by spelling."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.outcome import Result, Success, failed
from domain.repository import (
    MAX_HOST_LENGTH,
    MAX_REMOTE_LENGTH,
    InvalidRemote,
    Reason,
    RepositoryIdentity,
    https_url,
    identify,
    parse_host,
    parse_remote,
)
from tests.requirements import requirement

WIDGETS = RepositoryIdentity("github.com", "/acme/widgets")


def _reason(outcome: Result[object, InvalidRemote]) -> Reason:
    assert failed(outcome)
    return outcome.failure().reason


@requirement("repository:identity:spellings")
@pytest.mark.parametrize(
    "remote",
    [
        "https://github.com/acme/widgets",
        "https://github.com/acme/widgets.git",
        "https://github.com/acme/widgets/",
        "https://github.com/acme/widgets.git/",
        "https://github.com//acme/widgets.git//",
        "HTTPS://GitHub.COM/acme/widgets.git",
        "https://github.com:443/acme/widgets.git",
        "https://github.com/%61cme/widgets%2Egit",
        "git@github.com:acme/widgets.git",
        "git@github.com:acme/widgets",
        "git@github.com:/acme/widgets.git/",
        "git@GitHub.com:acme/widgets.git",
        "org-12345@github.com:acme/widgets.git",
        "ssh://git@github.com/acme/widgets.git",
        "ssh://github.com/acme/widgets.git",
        "ssh://git@github.com:22/acme/widgets.git",
        "SSH://git@github.com:2222/acme/widgets/",
        "  https://github.com/acme/widgets.git\r\n",
    ],
)
def test_every_spelling_of_a_repository_is_one_identity(remote: str) -> None:
    assert parse_remote(remote) == Success(WIDGETS)


@requirement("repository:identity:parts")
@pytest.mark.parametrize(
    ("remote", "host", "path"),
    [
        ("https://forge.example:9443/a/w.git", "forge.example:9443", "/a/w"),
        ("https://forge.example/repo.git", "forge.example", "/repo"),
        ("https://127.0.0.1:8443/repo.git", "127.0.0.1:8443", "/repo"),
        ("https://[::1]:8443/repo.git", "[::1]:8443", "/repo"),
        ("https://[2001:DB8::1]/repo.git", "[2001:db8::1]", "/repo"),
        ("git@[::1]:team/repo.git", "[::1]", "/team/repo"),
        ("https://localhost/repo", "localhost", "/repo"),
        ("https://build_host/repo", "build_host", "/repo"),
        ("https://github.com.evil.example/a/w", "github.com.evil.example", "/a/w"),
        ("https://github.com/Acme/Widgets.GIT", "github.com", "/Acme/Widgets.GIT"),
        ("https://github.com/acme/.github", "github.com", "/acme/.github"),
        ("https://gitlab.com/group/sub/widgets.git", "gitlab.com", "/group/sub/widgets"),
        ("https://forge.example/scm/ENG/w.git", "forge.example", "/scm/ENG/w"),
        ("https://forge.example/a/w.git.git", "forge.example", "/a/w"),
        ("https://forge.example/a/w/.git", "forge.example", "/a/w"),
        ("https://forge.example/a/w%20x.git", "forge.example", "/a/w x"),
        ("https://forge.example/a/w x.git", "forge.example", "/a/w x"),
        ("https://forge.example/a/w%C3%AD.git", "forge.example", "/a/wí"),
        ("https://forge.example/a/wí.git", "forge.example", "/a/wí"),
        ("https://forge.example/a/100%25.git", "forge.example", "/a/100%"),
        ("https://forge.example/a/w%252e.git", "forge.example", "/a/w%2e"),
        ("ssh://git@forge.example:7999/ENG/w%20x.git", "forge.example", "/ENG/w x"),
        ("git@forge.example:ENG/w%20x.git", "forge.example", "/ENG/w%20x"),
        ("git@forge.example:ENG/100%.git", "forge.example", "/ENG/100%"),
        ("git@github.com:2222/acme/x.git", "github.com", "/2222/acme/x"),
        ("git@forge.example:~me/w.git", "forge.example", "/~me/w"),
    ],
)
def test_host_and_path_are_read_as_https_has_them(remote: str, host: str, path: str) -> None:
    assert parse_remote(remote) == Success(RepositoryIdentity(host, path))


@requirement("repository:identity:refusals")
@pytest.mark.parametrize(
    ("remote", "reason"),
    [
        ("", Reason.NOT_A_REMOTE),
        ("not-a-valid-url", Reason.NOT_A_REMOTE),
        ("/home/user/repository", Reason.NOT_A_REMOTE),
        ("../repository", Reason.NOT_A_REMOTE),
        ("./a@b:c", Reason.NOT_A_REMOTE),
        ("C:\\repositories\\w", Reason.NOT_A_REMOTE),
        ("C:/repositories/w", Reason.NOT_A_REMOTE),
        ("github.com/acme/w", Reason.NOT_A_REMOTE),
        ("github.com:acme/w.git", Reason.NOT_A_REMOTE),
        ("//github.com/acme/w.git", Reason.NOT_A_REMOTE),
        ("https:/github.com/acme/w.git", Reason.NOT_A_REMOTE),
        ("file:///tmp/r.git", Reason.SCHEME),
        ("http://github.com/acme/w.git", Reason.SCHEME),
        ("git://github.com/acme/w.git", Reason.SCHEME),
        ("git+ssh://git@github.com/acme/w.git", Reason.SCHEME),
        ("https://oauth2:S@github.com/acme/w.git", Reason.USER),
        ("https://token@github.com/acme/w.git", Reason.USER),
        ("https://@github.com/acme/w.git", Reason.USER),
        ("https://github.com@evil.example/acme/w.git", Reason.USER),
        ("https://evil.example\\@github.com/acme/w.git", Reason.USER),
        ("https://github.com\\evil.example/acme/w.git", Reason.HOST),
        ("https://github.com/acme\\w.git", Reason.CHARACTER),
        ("ssh://git:S@github.com/acme/w.git", Reason.PASSWORD),
        ("ssh://git:@github.com/acme/w.git", Reason.PASSWORD),
        ("git:S@github.com:acme/w.git", Reason.PASSWORD),
        ("ssh://@github.com/acme/w.git", Reason.USER),
        ("@github.com:acme/w.git", Reason.USER),
        (" @github.com:acme/w.git", Reason.USER),
        ("g it@github.com:acme/w.git", Reason.USER),
        ("-oProxyCommand=x@github.com:acme/w.git", Reason.USER),
        ("ssh://-oProxyCommand=x/acme/w.git", Reason.HOST),
        ("git@-oProxyCommand=x:acme/w.git", Reason.HOST),
        ("https://github.com/acme/w.git?token=S", Reason.QUERY),
        ("https://github.com/acme/w.git?", Reason.QUERY),
        ("ssh://git@github.com/acme/w.git?x", Reason.QUERY),
        ("git@github.com:acme/w.git?x", Reason.QUERY),
        ("https://github.com/acme/w.git#S", Reason.FRAGMENT),
        ("https://github.com/acme/w.git#", Reason.FRAGMENT),
        ("https://github.com#@evil.example/acme/w", Reason.FRAGMENT),
        ("ssh://git@github.com/acme/w.git#", Reason.FRAGMENT),
        ("git@github.com:acme/w.git#x", Reason.FRAGMENT),
        ("https://github.com", Reason.PATH),
        ("https://github.com/", Reason.PATH),
        ("https://github.com/acme", Reason.PATH),
        ("https://github.com/acme/.git", Reason.PATH),
        ("https://forge.example/.git", Reason.PATH),
        ("git@github.com:", Reason.PATH),
        ("ssh://git@github.com/", Reason.PATH),
        ("https://github.com/acme/../evil/x.git", Reason.PATH),
        ("https://github.com/acme/%2e%2e/x.git", Reason.PATH),
        ("https://github.com/acme/./w.git", Reason.PATH),
        ("https://github.com/acme/%2e/w.git", Reason.PATH),
        ("git@github.com:acme/../evil.git", Reason.PATH),
        ("https://github.com/acme//w.git", Reason.PATH),
        ("https://github.com/acme/x%2Fy.git", Reason.PATH),
        ("https://github.com/acme%2fw.git", Reason.PATH),
        ("https://github.com/acme/x%5Cy.git", Reason.PATH),
        ("https://github.com/acme/bad%zz.git", Reason.ENCODING),
        ("https://github.com/acme/bad%4", Reason.ENCODING),
        ("https://github.com/acme/bad%", Reason.ENCODING),
        ("https://github.com/acme/bad%ff.git", Reason.ENCODING),
        ("https://github.com/acme/w%0Ahost=evil", Reason.CHARACTER),
        ("https://github.com/acme/w%00.git", Reason.CHARACTER),
        ("https://github.com/acme/w%7F.git", Reason.CHARACTER),
        ("https://github.com/acme/w\nx.git", Reason.CHARACTER),
        ("https://github.com/acme/w\tx.git", Reason.CHARACTER),
        ("https://github.com/acme/\udcff.git", Reason.CHARACTER),
        ("https:///acme/w.git", Reason.HOST),
        ("git@:acme/w.git", Reason.HOST),
        ("https://github.com./acme/w.git", Reason.HOST),
        ("https://.github.com/acme/w.git", Reason.HOST),
        ("https://git..hub/acme/w.git", Reason.HOST),
        ("https://-github.com/acme/w.git", Reason.HOST),
        ("https://github.com-/acme/w.git", Reason.HOST),
        ("https://bücher.example/acme/w.git", Reason.HOST),
        ("https://gİthub.com/acme/w.git", Reason.HOST),
        ("https://\u212aernel.org/acme/w.git", Reason.HOST),
        ("https://g%C4%B0thub.com/acme/w.git", Reason.HOST),
        ("ssh://git@g%25C4%25B0thub.com/acme/w.git", Reason.HOST),
        ("git@gİthub.com:acme/w.git", Reason.HOST),
        ("https://github com/acme/w.git", Reason.HOST),
        ("https://[::1/acme/w.git", Reason.HOST),
        ("https://::1/acme/w.git", Reason.HOST),
        ("https://1::1]/acme/w.git", Reason.HOST),
        ("https://[fe80::1%25eth0]/acme/w.git", Reason.HOST),
        ("https://[github.com]/acme/w.git", Reason.HOST),
        ("https://github.com:/acme/w.git", Reason.PORT),
        ("https://github.com:abc/acme/w.git", Reason.PORT),
        ("https://github.com:0/acme/w.git", Reason.PORT),
        ("https://github.com:0443/acme/w.git", Reason.PORT),
        ("https://github.com:65536/acme/w.git", Reason.PORT),
        ("https://github.com:\u0664\u0664\u0663/acme/w.git", Reason.PORT),
        ("ssh://git@github.com:x/acme/w.git", Reason.PORT),
    ],
)
def test_what_could_be_read_two_ways_is_refused(remote: str, reason: Reason) -> None:
    assert _reason(parse_remote(remote)) is reason


def test_a_refusal_repeats_nothing_of_the_remote() -> None:
    outcome = parse_remote("https://oauth2:hunter2@github.com/acme/w.git")

    assert failed(outcome)
    assert "hunter2" not in repr(outcome.failure())


@requirement("repository:identity:bounds")
def test_a_remote_may_be_as_long_as_the_bound_and_no_longer() -> None:
    longest = "https://forge.example/".ljust(MAX_REMOTE_LENGTH, "a")

    assert not failed(parse_remote(longest))
    assert _reason(parse_remote(longest + "a")) is Reason.TOO_LONG
    assert _reason(parse_remote(longest + " ")) is Reason.TOO_LONG


@requirement("repository:identity:bounds")
def test_a_decoded_path_is_held_to_the_same_bound() -> None:
    longest = "a" * MAX_REMOTE_LENGTH

    assert not failed(identify("forge.example", longest))
    assert _reason(identify("forge.example", longest + "a")) is Reason.TOO_LONG


@requirement("repository:identity:bounds")
def test_a_host_may_be_as_long_as_the_bound_and_no_longer() -> None:
    label = "a" * 63
    longest = f"{label}.{label}.{label}.{'a' * 61}"

    assert len(longest) == MAX_HOST_LENGTH
    assert parse_host(longest) == Success(longest)
    assert _reason(parse_host(longest + "a")) is Reason.HOST
    assert _reason(parse_host("a" * 64)) is Reason.HOST


@pytest.mark.parametrize(
    ("text", "host"),
    [
        ("GitHub.com", "github.com"),
        ("github.com:443", "github.com"),
        ("forge.example:8443", "forge.example:8443"),
        ("[::1]:443", "[::1]"),
        ("forge.example:65535", "forge.example:65535"),
    ],
)
def test_a_host_has_one_spelling(text: str, host: str) -> None:
    assert parse_host(text) == Success(host)


@pytest.mark.parametrize("text", ["github.com/acme", "a@github.com", "", " h"])
def test_a_host_is_nothing_but_a_host(text: str) -> None:
    assert _reason(parse_host(text)) is Reason.HOST


@requirement("repository:identity:decoded-once")
@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("acme/widgets", "/acme/widgets"),
        ("acme/widgets.git", "/acme/widgets"),
        ("/acme/widgets/", "/acme/widgets"),
        ("acme/100%.git", "/acme/100%"),
        ("acme/w%20x.git", "/acme/w%20x"),
        ("acme/%2e%2e", "/acme/%2e%2e"),
        ("acme/w x.git", "/acme/w x"),
    ],
)
def test_a_path_that_git_decoded_is_not_decoded_again(path: str, expected: str) -> None:
    assert identify("github.com", path) == Success(RepositoryIdentity("github.com", expected))


@pytest.mark.parametrize("path", ["", "/", ".git", "acme/../x", "acme//x", "acme", "acme/.git"])
def test_a_decoded_path_is_held_to_the_same_rules(path: str) -> None:
    assert _reason(identify("github.com", path)) is Reason.PATH


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        ("https://github.com/acme/widgets", "https://github.com/acme/widgets2"),
        ("https://github.com/acme/widgets", "https://github.com/acme/widgets-staging"),
        ("https://github.com/Team/Repo", "https://github.com/team/repo"),
        ("https://forge.example/a/w", "https://forge.example:8443/a/w"),
        ("https://forge.example/a/w", "https://sub.forge.example/a/w"),
        ("https://forge.example/a/w%20x", "https://forge.example/a/w%2520x"),
        ("git@forge.example:a/w%20x", "https://forge.example/a/w%20x"),
    ],
)
def test_other_repositories_stay_others(ours: str, theirs: str) -> None:
    assert parse_remote(ours).unwrap() != parse_remote(theirs).unwrap()


NAME = st.text(
    st.characters(codec="utf-8", exclude_categories=["Cc", "Cs"], exclude_characters="/\\"),
    min_size=1,
    max_size=12,
).filter(lambda name: name not in {".", ".."} and not name.endswith(".git"))
PATHS = st.lists(NAME, min_size=2, max_size=4).map("/".join)
HOSTS = st.sampled_from(["github.com", "forge.example:8443", "[::1]:9443", "127.0.0.1:18443"])


@given(host=HOSTS, path=PATHS, wrapped=st.integers(0, 3), slashes=st.integers(0, 2))
def test_identifying_is_idempotent_and_round_trips_through_its_url(
    host: str, path: str, wrapped: int, slashes: int
) -> None:
    identity = identify(host, "/" * slashes + path + ".git" * wrapped + "/" * slashes).unwrap()

    assert identity == RepositoryIdentity(host, "/" + path)
    assert identify(identity.host, identity.path).unwrap() == identity
    assert parse_remote(https_url(identity)).unwrap() == identity


@given(st.text(max_size=80) | st.from_regex(r"(https|ssh)://[a-z.@:\[\]%0-9]{1,9}/[^\n]{0,30}"))
def test_any_text_is_an_identity_in_its_one_spelling_or_refused(text: str) -> None:
    outcome = parse_remote(text)

    if not failed(outcome):
        identity = outcome.unwrap()
        assert identity.host == identity.host.lower()
        assert identity.path.startswith("/")
        assert not identity.path.endswith(("/", ".git"))
        assert identify(identity.host, identity.path) == outcome
