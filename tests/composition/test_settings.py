"""Settings come from the environment, and a wrong one is named."""

from pathlib import Path

import pytest

from composition.holding import secrets_of
from composition.settings import DEFAULT_PORT, VERSION, InvalidSettings, read_settings
from domain.public_address import PublicUrl
from domain.secret import Secret
from tests.requirements import requirement

ROOT = Path(__file__).parents[2]


def test_nothing_set_means_the_users_home_on_loopback() -> None:
    settings = read_settings({"HOME": "/home/ada", "PATH": "/bin"})

    assert settings.home == Path("/home/ada/.kandev")
    assert (settings.host, settings.port) == ("127.0.0.1", DEFAULT_PORT)
    assert settings.api_token is None
    assert settings.search_path == "/bin"


@pytest.mark.parametrize("host", ["0.0.0.0", "192.168.1.2", "example.org", "127.0.0.2"])
def test_a_host_off_loopback_is_refused(host: str) -> None:
    with pytest.raises(InvalidSettings, match="KANDEV_HOST"):
        read_settings({"KANDEV_HOST": host})


@pytest.mark.parametrize("port", ["-1", "65536", "http", "1.0", "\N{ARABIC-INDIC DIGIT ONE}"])
def test_a_port_that_is_none_is_refused(port: str) -> None:
    with pytest.raises(InvalidSettings, match="KANDEV_PORT"):
        read_settings({"KANDEV_PORT": port})


@pytest.mark.parametrize("port", ["0", "1", "65535"])
def test_every_port_is_taken(port: str) -> None:
    assert read_settings({"KANDEV_PORT": port}).port == int(port)


def test_a_home_that_depends_on_the_directory_is_refused() -> None:
    with pytest.raises(InvalidSettings, match="KANDEV_HOME"):
        read_settings({"KANDEV_HOME": "relative"})


def test_an_empty_variable_is_one_that_is_not_set() -> None:
    empty = dict.fromkeys(("KANDEV_HOME", "KANDEV_HOST", "KANDEV_PORT", "KANDEV_API_TOKEN"), "")

    assert read_settings({"HOME": "/h", **empty}) == read_settings({"HOME": "/h"})


def test_the_version_is_the_packages() -> None:
    assert f'version = "{VERSION}"' in (ROOT / "pyproject.toml").read_text(encoding="utf-8")


@pytest.mark.parametrize("url", ["postgresql://me:secret@db/kandev", "postgres:///kandev"])
def test_a_database_of_postgresql_is_taken_and_does_not_print(url: str) -> None:
    settings = read_settings({"KANDEV_DATABASE_URL": url})

    assert settings.database == Secret(url)
    assert url not in repr(settings)


@pytest.mark.parametrize("url", ["mysql://me:secret@db/kandev", "/var/kandev.db", "postgresql"])
def test_another_database_is_refused_without_its_address(url: str) -> None:
    with pytest.raises(InvalidSettings, match="postgresql://") as refused:
        read_settings({"KANDEV_DATABASE_URL": url})

    assert "secret" not in str(refused.value)


def test_what_is_secret_in_the_address_of_a_database_is_known() -> None:
    for url in ("postgresql://me:p%40ss@db/kandev", "postgresql://me@db/kandev?password=p%40ss"):
        settings = read_settings({"KANDEV_DATABASE_URL": url})
        assert secrets_of(settings) == (Secret(url), Secret("p@ss"))
    assert secrets_of(read_settings({})) == ()


@requirement("rest:proxy")
def test_the_public_address_is_read_and_a_wrong_one_named() -> None:
    settings = read_settings({"KANDEV_PUBLIC_URL": "https://Kandev.example/"})

    assert settings.public == PublicUrl("https", "kandev.example")
    assert read_settings({"KANDEV_PUBLIC_URL": ""}).public is None
    with pytest.raises(InvalidSettings, match="KANDEV_PUBLIC_URL"):
        read_settings({"KANDEV_PUBLIC_URL": "kandev.example"})
