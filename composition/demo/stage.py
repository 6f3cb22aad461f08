"""The stage of a run: a forge, a home, and a host whose git is configured already."""

import secrets
import shlex
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from adapters.forge.forge import Forge
from composition.settings import Settings, read_settings
from domain import environment, git_config
from domain.environment import Layer, LayerName
from domain.git_config import Entry

__all__ = ("APP", "LOGIN", "MARK", "OTHER", "STRATEGY", "Stage", "prepare")

APP: Final = "acme/app"
OTHER: Final = "acme/other"
LOGIN: Final = "kandev-bot"
"""Who the forge sees when the broker's credential is used."""
MARK: Final = "DEMO_RUN"
"""Every process of the run carries this variable, so that what is left behind is found."""
STRATEGY: Final = "cat_sort_uniq"


@dataclass(frozen=True, slots=True)
class Stage:
    folder: Path
    forge: Forge
    settings: Settings
    host: Mapping[str, str]
    hook_log: Path
    mark: str


def prepare(forge: Forge, folder: Path, ambient: Mapping[str, str]) -> Stage:
    """Make the repositories, a hook of the host's, and an environment that carries two entries."""
    forge.create(APP, {"README.md": "# App\n", "src/greeting.txt": "hello\n"})
    forge.create(OTHER, {"README.md": "# Not for this task\n"})
    hooks, log = folder / "host-hooks", folder / "hook.log"
    hooks.mkdir()
    hook = hooks / "pre-commit"
    hook.write_text(
        f"#!/bin/sh\ngit config notes.augment.mergeStrategy >> {shlex.quote(str(log))}\n",
        encoding="utf-8",
    )
    hook.chmod(0o755)
    mark = f"{MARK}={secrets.token_hex(8)}"
    name, _, value = mark.partition("=")
    block = git_config.serialize((
        Entry("core.hooksPath", str(hooks)),
        Entry("notes.augment.mergeStrategy", STRATEGY),
    ))
    layers = [
        Layer(LayerName.HOST, dict(ambient)),
        Layer(LayerName.REQUEST, {**block, name: value}),
    ]
    host = environment.compose(layers).unwrap()
    settings = read_settings({**host, "KANDEV_HOME": str(folder / "home"), "KANDEV_PORT": "0"})
    return Stage(folder, forge, settings, host, log, mark)


def temporary_folder() -> Path:
    return Path(tempfile.mkdtemp(prefix="kandev-demo-"))
