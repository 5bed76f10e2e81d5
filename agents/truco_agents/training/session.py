"""A training run at the command line: new or resumed, with a progress bar, until it is done or stopped."""

from __future__ import annotations

import signal
from collections.abc import Mapping
from pathlib import Path
from types import FrameType

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskID, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from truco_agents.arena.result import MatchResult
from truco_agents.arena.seating import side_of
from truco_agents.training.config import RESUMABLE, Config, ConfigError, may_change
from truco_agents.training.config_file import find_config, read_config
from truco_agents.training.run_folder import RunFolder
from truco_agents.training.trainer import Trainer, TrainingStopped, config_of
from truco_env.rules.text import option_text

_STOPPED = 130  # exit status
_STOPPING = (signal.SIGINT, signal.SIGTERM)


def start(config_name: str, path: Path | None, changes: list[str]) -> int:
    """Train a new agent and return the exit status. An old run in the folder is moved aside when everything has been checked.

    Raises:
        TrucoError: the config is wrong, or the folder is in use.
    """
    config = read_config(find_config(config_name), changes)
    console = Console()
    with RunFolder.named(config) if path is None else RunFolder(path) as folder:
        folder.hold()
        screen = _Screen(console, config.ppo.total_steps)
        trainer = _make_trainer(config, folder, screen)
        trainer.begin()
        folder.create(config)
        _say(console, f"training in {folder.path}")
        return _train(trainer, screen)


def resume(path: Path, changes: list[str]) -> int:
    """Continue a run from its newest checkpoint and return the exit status.

    Raises:
        TrucoError: there is no such run, it is in use or damaged, or a change is not possible.
    """
    for change in changes:
        if not may_change(change.partition("=")[0]):
            raise ConfigError(f"{change}: a resumed run keeps its config; only {', '.join(RESUMABLE)} can be changed")
    console = Console()
    with RunFolder(path) as folder:
        folder.hold()
        config = folder.read_config(changes)
        if not folder.checkpoints():
            raise ConfigError(f"{path} has no checkpoint to go on from: start anew with train.py --config {path / 'config.yaml'}")
        newest = folder.checkpoints()[-1]
        config = config.continuing(config_of(newest))
        screen = _Screen(console, config.ppo.total_steps)
        trainer = _make_trainer(config, folder, screen)
        trainer.restore(newest)
        folder.resume(config)
        _say(console, f"continuing after {trainer.model.num_timesteps:,} decisions in {folder.path}")
        return _train(trainer, screen)


def _say(console: Console, text: str) -> None:
    """Print text as it is: paths and commands must stay whole."""
    console.print(text, highlight=False, markup=False, soft_wrap=True)


class _Screen:
    """Shows a progress bar, and a line per evaluation."""

    def __init__(self, console: Console, total: int) -> None:
        self.console = console
        self.bar = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            TextColumn("{task.completed:,.0f}/{task.total:,.0f} decisions"),
            TextColumn("{task.fields[speed]}"),
            TimeElapsedColumn(),
            TextColumn("left"),
            TimeRemainingColumn(),
            console=console,
            disable=not console.is_terminal,
        )
        self.task: TaskID = self.bar.add_task("training", total=total, speed="")

    def progress(self, steps: int, speed: float) -> None:
        self.bar.update(self.task, completed=steps, speed=f"{speed / 1000:.1f} k/s")

    def evaluated(self, steps: int, results: Mapping[str, MatchResult]) -> None:
        parts = []
        for name, result in results.items():
            rate = result.win_rate()
            parts.append(f"{name} {100 * rate.mean:.1f} % [{100 * rate.low:.1f}, {100 * rate.high:.1f}]")
        groups = next(iter(results.values())).groups
        _say(self.console, f"{steps:>12,} decisions: wins against {', '.join(parts)} ({groups} deal groups)")


def _make_trainer(config: Config, folder: RunFolder, screen: _Screen) -> Trainer:
    try:
        return Trainer(config, folder, screen)
    except (MemoryError, RuntimeError) as error:  # torch has only the latter for memory that it does not get
        raise ConfigError(f"this config cannot be trained here ({' '.join(str(error).split()) or 'out of memory'})") from None


def _train(trainer: Trainer, screen: _Screen) -> int:
    console, folder = screen.console, trainer.folder

    def stop(number: int, frame: FrameType | None) -> None:
        for kind in _STOPPING:
            signal.signal(kind, signal.default_int_handler)
        trainer.stop = True
        _say(console, "stopping after this update; press again to stop at once, without saving")

    before = {kind: signal.signal(kind, stop) for kind in _STOPPING}
    try:
        with screen.bar:
            trainer.run()
    except TrainingStopped as stopped:
        _say(console, f"stopped and saved in {stopped.checkpoint}\ncontinue with: python train.py --resume {folder.path}")
        return _STOPPED
    except KeyboardInterrupt:
        _say(console, f"stopped without saving; continue from the last checkpoint with: python train.py --resume {folder.path}")
        return _STOPPED
    finally:
        for kind, handler in before.items():
            signal.signal(kind, handler)
    _say_where(trainer.config, folder, console)
    return 0


def _say_where(config: Config, folder: RunFolder, console: Console) -> None:
    rival = config.evaluation.opponents[-1] if config.evaluation.opponents else "random"
    team = "+".join(str(folder.agent) if member is None else member for member in config.team(side_of(rival).members[0]))
    table = f"--ruleset {config.table.ruleset} --players {config.table.players}"
    options = [f"{name}={option_text(value)}" for name, value in config.table.rules().options.items()]
    table += f" --option {' '.join(options)}" if options else ""
    table += " --episode hand" if config.learner.episode == "hand" else ""
    lines = (
        f"trained agent:  {folder.agent}",
        f"curves:         {folder.path / 'curves.png'}, {folder.path / 'curves.csv'}",
        f"checkpoints:    {folder.path / 'checkpoints'}",
        f"TensorBoard:    tensorboard --logdir {folder.path / 'tensorboard'}",
        f"evaluate it:    python evaluate.py match {team} {rival} {table} --groups 1000",
    )
    _say(console, "\n".join(lines))
