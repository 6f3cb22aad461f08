"""The unit of a user service, and what it does not carry."""

import pytest

from domain.outcome import Failure, failed
from domain.service_unit import MARK, Service, Unquotable, plan, search_path
from tests.requirements import requirement

COMMAND = ["/opt/kandev/python", "-I", "-m", "composition.cli", "serve"]


def service(environment: dict[str, str], home: str = "/home/ada/.kandev") -> Service:
    planned = plan(COMMAND, home, ["/usr/bin/git", "/opt/node/bin/npx"], environment)
    assert not failed(planned)
    return planned.unwrap()


@requirement("service:unit")
def test_a_unit_runs_the_server_and_ends_nothing_else() -> None:
    unit = service({"LANG": "C.UTF-8", "KANDEV_PORT": "4000"}).unit

    assert unit == MARK + (
        "[Unit]\n"
        "Description=Kandev, the control plane of coding agents\n"
        "\n"
        "[Service]\n"
        "Type=exec\n"
        'ExecStart="/opt/kandev/python" "-I" "-m" "composition.cli" "serve"\n'
        'Environment="KANDEV_HOME=/home/ada/.kandev"\n'
        'Environment="KANDEV_PORT=4000"\n'
        'Environment="LANG=C.UTF-8"\n'
        'Environment="PATH=/usr/bin:/opt/node/bin:/usr/local/bin:/bin"\n'
        "EnvironmentFile=-/home/ada/.kandev/service.env\n"
        "KillMode=process\n"
        "Restart=on-failure\n"
        "RestartSec=5\n"
        "\n"
        "[Install]\n"
        "WantedBy=default.target\n"
    )


@requirement("service:no-secret")
def test_what_may_be_a_secret_is_named_and_not_carried() -> None:
    made = service({
        "KANDEV_API_TOKEN": "kdt_secret",
        "KANDEV_DATABASE_URL": "postgresql://me:secret@db/x",
        "ANTHROPIC_API_KEY": "sk-secret",
        "https_proxy": "http://me:secret@proxy",
        "SSH_AUTH_SOCK": "/run/secret",
        "GIT_AUTHOR_NAME": "",
        "EDITOR": "vi",
        "KANDEV_HOST": "::1",
    })

    assert "secret" not in made.unit
    assert made.left_out == [
        "ANTHROPIC_API_KEY",
        "KANDEV_API_TOKEN",
        "KANDEV_DATABASE_URL",
        "SSH_AUTH_SOCK",
        "https_proxy",
    ]


@requirement("service:unit")
def test_words_mean_to_systemd_what_they_say() -> None:
    unit = plan(["/opt/$a b/p%y", 'q"u\\o'], "/h/%i/$x", [], {}).unwrap().unit

    assert r'ExecStart="/opt/$$a b/p%%y" "q\"u\\o"' in unit.splitlines()
    assert 'Environment="KANDEV_HOME=/h/%%i/$x"' in unit.splitlines()
    assert "EnvironmentFile=-/h/%%i/$x/service.env" in unit.splitlines()


@pytest.mark.parametrize("value", ["a\nExecStart=/bin/evil", "a\0b", "a\x1bb"])
def test_a_value_that_could_end_its_line_is_refused(value: str) -> None:
    assert plan(COMMAND, "/home", [], {"LANG": value}) == Failure(Unquotable("LANG"))
    assert plan(COMMAND, value, [], {}) == Failure(Unquotable("KANDEV_HOME"))


def test_each_directory_is_searched_once_in_the_order_of_the_tools() -> None:
    tools = ["/b/git", "/a/gh", "relative", "/b/node", "/usr/bin/ssh"]

    assert search_path(tools) == ["/b", "/a", "/usr/bin", "/usr/local/bin", "/bin"]
