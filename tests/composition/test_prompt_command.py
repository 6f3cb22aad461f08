"""What `kandev prompt set` asks for: what is named changes, the rest stays."""

from pathlib import Path

import pytest

from composition.commands.prompt import line, parser, wanted
from tests.requirements import requirement

BEFORE = {
    "id": "spr_a",
    "name": "review",
    "text": "Review {{what}}.",
    "description": "Look",
    "arguments": [{"name": "what", "description": "", "required": True}],
    "version": 3,
}
SAME = {name: BEFORE[name] for name in ("name", "text", "description", "arguments")}


@requirement("prompt:command")
@pytest.mark.parametrize(
    ("words", "changed"),
    [
        ([], {}),
        (["--description", ""], {"description": ""}),
        (
            ["--argument", "what=Which=one", "--argument", "how?"],
            {
                "arguments": [
                    {"name": "what", "description": "Which=one", "required": True},
                    {"name": "how", "description": "", "required": False},
                ]
            },
        ),
    ],
)
def test_what_is_named_changes_and_the_rest_stays(
    words: list[str], changed: dict[str, object]
) -> None:
    chosen = parser().parse_args(["set", "review", *words])

    assert wanted(BEFORE, chosen) == SAME | changed


@requirement("prompt:command")
def test_a_new_prompt_is_what_was_said_of_it(tmp_path: Path) -> None:
    file = tmp_path / "text"
    file.write_text("Mend it.\n", encoding="utf-8")
    chosen = parser().parse_args(["set", "mend", "--text", str(file)])

    assert wanted({}, chosen) == {
        "name": "mend", "text": "Mend it.\n", "description": "", "arguments": []
    }  # fmt: skip


@requirement("prompt:command")
def test_a_prompt_is_listed_with_what_it_needs() -> None:
    optional = {"name": "how", "description": "", "required": False}
    arguments = [*SAME["arguments"], optional]  # type: ignore[misc]  # a list, as it is above

    assert line({**BEFORE, "arguments": arguments}) == "review  what [how]  Look\n"
    assert line({**BEFORE, "arguments": [], "description": ""}) == "review\n"
