"""Which machines a `.netrc` names; nothing else of it is looked at."""

import pytest

from domain.netrc import machines
from tests.requirements import requirement


@requirement("git-config:explain:channels")
@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("", ()),
        ("machine github.com login u password p\n", ("github.com",)),
        (
            "machine a.example\n\tlogin u\n\tpassword p\nmachine b.example\n",
            ("a.example", "b.example"),
        ),
        ("machine\ngithub.com\n", ("github.com",)),
        ('machine "github.com" login "u" password "p"', ("github.com",)),
        ("default login u password p", ("default",)),
        ("machine a login machine password default account machine\n", ("a",)),
        ("machine a login u machine a login v", ("a",)),
        ("# machine a\nmachine b", ("b",)),
        ("machine a password #b\nmachine c", ("a", "c")),
        ("macdef init\nmachine a\n\nmachine b", ("b",)),
        ("machine", ()),
        ("login u password p", ()),
    ],
)
def test_the_machines_are_named_in_their_order(text: str, names: tuple[str, ...]) -> None:
    assert machines(text) == names
