"""The tools come first on the search path and in shells, and are gone again without a trace."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.managed_shell import DEFAULT_PATH, PARENT, START, added, without
from tests.requirements import requirement

TOOLS = "/t"
OURS = f"{TOOLS}/{START}"


@requirement("environment:tools:added")
@pytest.mark.parametrize(
    ("lower", "path", "parent"),
    [
        ({"PATH": "/bin"}, "/t:/bin", None),
        ({"PATH": "/bin:/t:/sbin"}, "/t:/bin:/sbin", None),
        ({"PATH": ""}, f"/t:{DEFAULT_PATH}", None),
        ({}, f"/t:{DEFAULT_PATH}", None),
        ({"PATH": "/bin", "BASH_ENV": "/mine"}, "/t:/bin", "/mine"),
        ({"PATH": "/bin", "BASH_ENV": "$HOME/mine", "HOME": "/h"}, "/t:/bin", "/h/mine"),
        ({"PATH": "/bin", "BASH_ENV": OURS}, "/t:/bin", None),
        ({"PATH": "/bin", "BASH_ENV": ""}, "/t:/bin", None),
    ],
)
def test_the_tools_come_first_and_a_start_file_of_the_users_is_still_read(
    lower: dict[str, str], path: str, parent: str | None
) -> None:
    own = {PARENT: parent} if parent else {}

    assert added(TOOLS, lower.get) == {"PATH": path, "BASH_ENV": OURS} | own


texts = st.sampled_from(("/bin", "/bin:/sbin", "/opt/x"))


@requirement("environment:tools:removed")
@given(st.fixed_dictionaries({"PATH": texts}, optional={"BASH_ENV": texts, "OTHER": texts}))
def test_taking_the_tools_away_gives_back_the_variables_as_they_were(
    lower: dict[str, str],
) -> None:
    assert without(lower | added(TOOLS, lower.get), {TOOLS}) == lower
    assert without(lower, {TOOLS}) == lower
