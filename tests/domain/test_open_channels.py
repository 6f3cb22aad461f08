"""What could go around the managed helper is found by looking, and named without what it holds."""

import pytest

from domain import managed_git
from domain.git_config import Entry
from domain.managed_git import ManagedHost
from domain.open_channels import Channel, OpenChannel, Surroundings, open_channels
from tests.requirements import requirement

MANAGED = managed_git.entries([ManagedHost("github.com")], "/t/git-credential-kandev")
CLOSED = managed_git.variables()
NOTHING = Surroundings()


def found(
    *entries: tuple[str, str],
    after: tuple[tuple[str, str], ...] = (),
    variables: dict[str, str] | None = None,
    surroundings: Surroundings = NOTHING,
    managed: bool = True,
) -> tuple[OpenChannel, ...]:
    own = MANAGED if managed else ()
    block = (*(Entry(*e) for e in entries), *own, *(Entry(*e) for e in after))
    return open_channels(block, CLOSED if variables is None else variables, surroundings)


@requirement("git-config:explain:channels")
def test_a_managed_environment_with_nothing_else_leaves_nothing_open() -> None:
    assert found() == ()


@requirement("git-config:explain:channels")
@pytest.mark.parametrize(
    ("key", "value", "channel"),
    [
        ("http.extraHeader", "A: b", Channel.EXTRA_HEADER),
        ("http.https://github.com/.extraheader", "A: b", Channel.EXTRA_HEADER),
        ("http.cookieFile", "/c", Channel.COOKIE_FILE),
        ("http.sslVerify", "false", Channel.UNVERIFIED_SERVER),
        ("http.https://github.com.sslVerify", "OFF", Channel.UNVERIFIED_SERVER),
        ("url.git@github.com:.insteadOf", "https://github.com/", Channel.REWRITE_TO_SSH),
        ("url.git@github.com:.insteadOf", "https://", Channel.REWRITE_TO_SSH),
        ("url.ssh://git@h/.pushInsteadOf", "https://github.com/acme/", Channel.REWRITE_TO_SSH),
        ("url.https://mirror/.insteadOf", "https://github.com/", Channel.REWRITE_ELSEWHERE),
        ("url.http://github.com/.insteadOf", "https://github.com/", Channel.REWRITE_ELSEWHERE),
        ("url.https://mirror/.insteadOf", "git@github.com:", Channel.REWRITE_ELSEWHERE),
        ("url.https://mirror/.insteadOf", "", Channel.REWRITE_ELSEWHERE),
        ("include.path", "~/more", Channel.INCLUDED_FILE),
        ("includeIf.onbranch:main.path", "/more", Channel.INCLUDED_FILE),
    ],
)
def test_an_entry_that_goes_around_the_helper_is_named_by_position(
    key: str, value: str, channel: Channel
) -> None:
    assert found(("a.b", "c"), (key, value)) == (OpenChannel(channel, (1,)),)


@requirement("git-config:explain:channels")
@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("http.https://gitlab.com/.extraHeader", "A: b"),
        ("http.extraHeader", ""),
        ("http.sslVerify", "true"),
        ("url.https://github.com/.insteadOf", "git@github.com:"),
        ("url.https://github.com/.insteadOf", "gh:"),
        ("url.git@gitlab.com:.insteadOf", "https://gitlab.com/"),
        ("credential.helper", "store"),
        ("credential.helper", ""),
        ("core.askPass", "/ide"),
    ],
)
def test_what_does_not_concern_a_managed_host_is_no_channel(key: str, value: str) -> None:
    assert found((key, value)) == ()


@requirement("git-config:explain:channels")
def test_without_a_managed_host_everything_found_is_a_channel() -> None:
    channels = found(
        ("http.https://gitlab.com/.extraHeader", "A: b"),
        ("url.git@gitlab.com:.insteadOf", "https://gitlab.com/"),
        surroundings=Surroundings(netrc=("anywhere",)),
        managed=False,
    )

    assert channels == (
        OpenChannel(Channel.NETRC, names=("anywhere",)),
        OpenChannel(Channel.EXTRA_HEADER, (0,)),
        OpenChannel(Channel.REWRITE_TO_SSH, (1,)),
    )


@requirement("git-config:explain:channels")
def test_a_header_that_is_reset_later_is_closed_only_for_its_own_scope() -> None:
    generic, scoped = ("http.extraHeader", "A: b"), ("http.https://github.com.extraHeader", "A: b")
    reset = ("http.extraHeader", "")

    assert found(generic, reset) == ()
    assert found(scoped, reset) == (OpenChannel(Channel.EXTRA_HEADER, (0,)),)


@requirement("git-config:explain:channels")
@pytest.mark.parametrize("scope", ["", "https://github.com.", "https://github.com/acme."])
def test_a_reset_after_the_managed_helper_disarms_it(scope: str) -> None:
    reset = (f"credential.{scope}helper", "")

    assert found(after=(reset,)) == (OpenChannel(Channel.HELPER_RESET, (len(MANAGED),)),)
    assert found(reset) == ()
    assert found(after=(("credential.https://gitlab.com.helper", ""),)) == ()


@requirement("git-config:explain:channels")
@pytest.mark.parametrize(
    ("variables", "channels"),
    [
        ({"SSH_AUTH_SOCK": "/s"}, {Channel.SSH_AGENT: "SSH_AUTH_SOCK"}),
        ({"GH_TOKEN": "t"}, {Channel.AMBIENT_TOKEN: "GH_TOKEN"}),
        ({"GH_TOKEN": ""}, {}),
        (
            {"GIT_CONFIG_PARAMETERS": "'a.b'='c'"},
            {Channel.QUOTED_CONFIGURATION: "GIT_CONFIG_PARAMETERS"},
        ),
        ({"GIT_TRACE_REDACT": "0"}, {Channel.UNREDACTED_TRACE: "GIT_TRACE_REDACT"}),
        ({"GIT_TRACE_REDACT": "1"}, {}),
        ({"GIT_SSL_NO_VERIFY": ""}, {Channel.UNVERIFIED_SERVER: "GIT_SSL_NO_VERIFY"}),
        ({"SSH_ASKPASS": "/ide"}, {}),
        ({"GIT_ASKPASS": "/ide"}, {Channel.ASKPASS: "GIT_ASKPASS"}),
    ],
)
def test_a_variable_that_goes_around_the_helper_is_named(
    variables: dict[str, str], channels: dict[Channel, str]
) -> None:
    assert found(variables=CLOSED | variables) == tuple(
        OpenChannel(channel, names=(name,)) for channel, name in channels.items()
    )


@requirement("git-config:explain:channels")
def test_without_a_git_askpass_the_other_two_are_open() -> None:
    channels = found(("core.askPass", "/ide"), variables={"SSH_ASKPASS": "/ide"})

    assert channels == (OpenChannel(Channel.ASKPASS, (0,), ("SSH_ASKPASS",)),)


@requirement("git-config:explain:channels")
def test_what_lies_beside_the_environment_is_named_without_what_it_holds() -> None:
    surroundings = Surroundings(
        netrc=("GitHub.com", "gitlab.com", "default"),
        remotes=(
            ("origin", "https://github.com/acme/widgets"),
            ("ssh", "git@github.com:acme/widgets"),
            ("token", "https://x:hunter2@github.com/acme/widgets"),
        ),
    )

    channels = found(surroundings=surroundings)

    assert channels == (
        OpenChannel(Channel.NETRC, names=("GitHub.com", "default")),
        OpenChannel(Channel.SSH_REMOTE, names=("ssh",)),
        OpenChannel(Channel.CREDENTIAL_IN_REMOTE, names=("token",)),
    )
    assert "hunter2" not in repr(channels)


@requirement("git-config:explain:channels")
def test_what_stands_in_a_file_is_named_by_scope_and_variable() -> None:
    surroundings = Surroundings(
        files=(
            ("global", Entry("http.https://github.com/.extraHeader", "Authorization: hunter2")),
            ("local", Entry("url.ssh://git@github.com/.insteadOf", "https://github.com/")),
            ("local", Entry("url.https://hunter2@evil/.insteadOf", "https://github.com/")),
            ("worktree", Entry("http.sslVerify", "false")),
            ("system", Entry("core.askPass", "/ide")),
            ("global", Entry("credential.helper", "")),
        )
    )

    channels = found(("http.extraHeader", "A: b"), surroundings=surroundings)

    assert channels == (
        OpenChannel(Channel.EXTRA_HEADER, (0,), ("global http.extraheader",)),
        OpenChannel(Channel.REWRITE_TO_SSH, (), ("local url.insteadof",)),
        OpenChannel(Channel.REWRITE_ELSEWHERE, (), ("local url.insteadof",)),
        OpenChannel(Channel.UNVERIFIED_SERVER, (), ("worktree http.sslverify",)),
    )
    assert "hunter2" not in repr((channels, surroundings))


@requirement("git-config:explain:channels")
def test_an_entry_of_the_list_closes_what_a_file_opened() -> None:
    surroundings = Surroundings(files=(("local", Entry("http.sslVerify", "false")),))

    assert found(("http.sslVerify", "true"), surroundings=surroundings) == ()
    assert found(surroundings=surroundings) == (
        OpenChannel(Channel.UNVERIFIED_SERVER, (), ("local http.sslverify",)),
    )
