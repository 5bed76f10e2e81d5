"""RunFolder: where a training run keeps everything, and its checkpoints."""

from __future__ import annotations

import json
import platform
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from importlib.metadata import PackageNotFoundError, version
from itertools import count
from pathlib import Path
from typing import Final

from truco_agents.ppo.checkpoint import replace_folder
from truco_agents.training.config import Config, ConfigError
from truco_agents.training.config_file import read_config

CONFIG: Final = "config.yaml"
VERSIONS: Final = "versions.json"
_PACKAGES: Final = ("truco-env", "numpy", "numba", "torch", "stable-baselines3", "sb3-contrib", "gymnasium", "pettingzoo")


class RunFolder:
    """``runs/NAME-DATE``: config, versions, curves, checkpoints, and the trained agent.

    Attributes:
        path: the folder.
        agent: the folder of the trained agent, there when the run is complete.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.agent = path / "agent"

    @classmethod
    def create(cls, config: Config, path: Path | None = None) -> RunFolder:
        """Make a new folder with the config and the versions of everything.

        Args:
            config: of the run.
            path: the folder, by default ``runs/NAME-DATE``. What is there already is moved aside, to the same name with a number.
        """
        wanted = path or Path("runs") / f"{config.name}-{datetime.now():%Y%m%d-%H%M%S}"
        if wanted.exists():
            wanted.rename(next(free for n in count(1) if not (free := wanted.with_name(f"{wanted.name}-{n}")).exists()))
        wanted.mkdir(parents=True)
        folder = cls(wanted)
        folder.write_config(config)
        (wanted / VERSIONS).write_text(json.dumps(_versions(), indent=2) + "\n", encoding="utf-8")
        return folder

    def write_config(self, config: Config) -> None:
        """Write the whole config."""
        draft = self.path / f".{CONFIG}"
        draft.write_text(config.to_yaml(), encoding="utf-8")
        draft.replace(self.path / CONFIG)

    def read_config(self, changes: list[str]) -> Config:
        """Read the config, with changes as on the command line.

        Raises:
            ConfigError: this is no run folder, or a change is wrong.
        """
        if not (self.path / CONFIG).is_file():
            raise ConfigError(f"{self.path} is no run folder: it has no {CONFIG}")
        return read_config(self.path / CONFIG, changes)

    def checkpoints(self) -> list[Path]:
        """Return the folders of the complete checkpoints, oldest first."""
        return sorted(self.path.glob("checkpoints/step-*"))

    @contextmanager
    def new_checkpoint(self, steps: int, *, keep: int) -> Iterator[Path]:
        """Give a folder to fill; it becomes a checkpoint as a whole or not at all, and all but the newest ``keep`` go."""
        with replace_folder(self.path / "checkpoints" / f"step-{steps:012d}") as draft:
            yield draft
        for old in self.checkpoints()[:-keep]:
            shutil.rmtree(old)


def _versions() -> dict[str, str]:
    versions = {"python": sys.version.split()[0], "platform": platform.platform()}
    for package in _PACKAGES:
        try:
            versions[package] = version(package)
        except PackageNotFoundError:
            versions[package] = "not installed"
    return versions
