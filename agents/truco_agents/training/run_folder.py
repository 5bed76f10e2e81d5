"""RunFolder: where a training run keeps everything, and its checkpoints."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from itertools import count
from pathlib import Path
from types import TracebackType
from typing import Final

from truco_agents.files import (
    FolderInUseError,
    FolderLock,
    clear_leftovers,
    draft_of,
    remove_folder,
    replace_folder,
    write_json,
    write_text,
)
from truco_agents.training.config import Config, ConfigError
from truco_agents.training.config_file import read_config
from truco_agents.versions import TRAINING, versions_of

CONFIG: Final = "config.yaml"
VERSIONS: Final = "versions.json"


class RunFolder:
    """``runs/NAME-DATE``: config, versions, curves, checkpoints, and the trained agent.

    A process that writes into the folder holds it, so that no other writes there at the same time; a context manager lets it go.

    Args:
        path: the folder, which need not be there yet.

    Attributes:
        path: the folder.
        agent: the folder of the trained agent, there when the run is complete.
    """

    def __init__(self, path: Path) -> None:
        self.path = path if path.name not in ("", "..") else path.resolve()  # its neighbours get names made from its own
        self.agent = self.path / "agent"
        self._lock: FolderLock | None = None

    @classmethod
    def named(cls, config: Config) -> RunFolder:
        """Return the folder of a new run that was given none: ``runs/NAME-DATE``."""
        return cls(Path("runs") / f"{config.name}-{datetime.now():%Y%m%d-%H%M%S}")

    def __enter__(self) -> RunFolder:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.release()

    def hold(self) -> None:
        """Keep other runs out of the folder, if it is there.

        Raises:
            FolderInUseError: another run is going on in it.
            ConfigError: it is there and is not the folder of a run.
        """
        if self._lock is not None or not self.path.exists():
            return
        if not self.path.is_dir() or (not (self.path / CONFIG).is_file() and any(self.path.iterdir())):
            raise ConfigError(f"{self.path} is not the folder of a run: it has no {CONFIG}")
        self._lock = FolderLock(self.path)

    def release(self) -> None:
        """Let other runs have the folder."""
        if self._lock is not None:
            self._lock.release()
            self._lock = None

    def create(self, config: Config) -> None:
        """Begin a new run here, with the config and the versions of everything, and hold its folder.

        What is here already is moved aside, to the same name with a number.

        Raises:
            FolderInUseError: another run is going on in it.
            ConfigError: it is there and is not the folder of a run.
        """
        self.hold()
        draft = draft_of(self.path)
        draft.mkdir(parents=True)
        lock = FolderLock(draft)
        try:
            write_text(draft / CONFIG, config.to_yaml())
            write_json(draft / VERSIONS, versions_of(TRAINING), indent=2)
            if self.path.exists():
                self.path.rename(next(free for n in count(1) if not (free := self.path.with_name(f"{self.path.name}-{n}")).exists()))
            try:
                draft.rename(self.path)
            except OSError:
                raise FolderInUseError(f"{self.path} was made by another run at the same moment: choose another folder") from None
        except BaseException:
            lock.release()
            shutil.rmtree(draft, ignore_errors=True)
            raise
        self.release()
        self._lock = lock

    def resume(self, config: Config) -> None:
        """Go on with the run that is here: keep its config, as changed, and remove what a killed process left behind.

        The folder must be held.
        """
        write_text(self.path / CONFIG, config.to_yaml())
        for folder in (self.path, self.path / "checkpoints"):
            clear_leftovers(folder)

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
            remove_folder(old)
