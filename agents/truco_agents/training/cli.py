"""The command line of training: ``python train.py --help``."""

from __future__ import annotations

import argparse
import os
import signal
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import FrameType

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskID, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from truco_agents.arena.result import MatchResult
from truco_agents.arena.seating import side_of
from truco_agents.training.config import Config, ConfigError
from truco_agents.training.config_file import read_config
from truco_agents.training.run_folder import RunFolder
from truco_env.errors import TrucoError
from truco_env.program.line import CommandLine

_RESUMABLE = ("ppo.total_steps", "evaluation.", "checkpoints.", "machine.")  # beginnings of keys


def _parser(prog: str) -> CommandLine:
    parser = CommandLine(prog=prog, description="Train an agent by PPO against a pool of opponents.")
    source = parser.add_mutually_exclusive_group(required=True)
    source.add_argument("--config", type=Path, metavar="FILE", help="what to train: a YAML file such as configs/argentino.yaml")
    source.add_argument("--resume", type=Path, metavar="FOLDER", help="go on with the run in FOLDER from its newest checkpoint")
    parser.add_argument(
        "--run", type=Path, metavar="FOLDER", help="folder of a new run (default: runs/NAME-DATE); an old one is moved aside"
    )
    parser.add_argument("changes", nargs="*", metavar="key=value", help="values that replace those of the config, such as ppo.epochs=2")
    return parser


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
        groups = next(iter(results.values())).groups if results else 0
        _say(self.console, f"{steps:>12,} decisions: wins against {', '.join(parts)} ({groups} deal groups)")


def main(arguments: Sequence[str] | None = None, *, prog: str = "train.py") -> int:
    """Run the command line and return its exit status: 0 done, 2 wrong input, 130 stopped and saved."""
    options = _parser(prog).parse_args(arguments)
    console = Console()
    try:
        config, folder, fresh = _prepare(options)
        return _train(config, folder, console, fresh=fresh)
    except TrucoError as error:
        print(f"{prog}: {error}", file=sys.stderr)
        return 2
    except OSError as error:
        print(f"{prog}: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print(f"{prog}: interrupted before training began", file=sys.stderr)
        return 130


def _prepare(options: argparse.Namespace) -> tuple[Config, RunFolder, bool]:

    changes: list[str] = options.changes
    if options.config is not None:
        config = read_config(options.config, changes)
        return config, RunFolder.create(config, options.run), True
    for change in changes:
        if not change.startswith(_RESUMABLE):
            raise ConfigError(
                f"{change}: a resumed run keeps its config; only {', '.join(_RESUMABLE)} can be changed".replace("., ", ".*, ")
            )
    folder = RunFolder(options.resume)
    config = folder.read_config(changes)
    if not folder.checkpoints():
        raise ConfigError(f"{folder.path} has no checkpoint to go on from: start anew with train.py --config {folder.path / 'config.yaml'}")
    folder.write_config(config)
    return config, folder, False


def _train(config: Config, folder: RunFolder, console: Console, *, fresh: bool) -> int:
    # Threads of torch that wait must not spin: beside any other work on the machine that makes training ten times slower.
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
    from truco_agents.training.trainer import Trainer, TrainingStopped

    screen = _Screen(console, config.ppo.total_steps)
    trainer = Trainer(config, folder, screen)
    if not fresh:
        trainer.restore(folder.checkpoints()[-1])
    steps = trainer.model.num_timesteps
    _say(console, f"{'training in' if fresh else f'going on after {steps:,} decisions in'} {folder.path}")

    def stop(number: int, frame: FrameType | None) -> None:
        signal.signal(signal.SIGINT, signal.default_int_handler)
        trainer.stop = True
        _say(console, "stopping after this update; press again to stop at once, without saving")

    before = signal.signal(signal.SIGINT, stop)
    try:
        with screen.bar:
            trainer.run()
    except TrainingStopped as stopped:
        _say(console, f"stopped and saved in {stopped.checkpoint}\ngo on with: python train.py --resume {folder.path}")
        return 130
    except KeyboardInterrupt:
        _say(console, f"stopped without saving; go on from the last checkpoint with: python train.py --resume {folder.path}")
        return 130
    finally:
        signal.signal(signal.SIGINT, before)
    _say_where(config, folder, console)
    return 0


def _plain(value: object) -> str:
    """An option's value as ``evaluate.py --option`` reads it."""
    return ",".join(map(str, value)) if isinstance(value, list | tuple) else str(value)


def _say_where(config: Config, folder: RunFolder, console: Console) -> None:
    rival = config.evaluation.opponents[-1] if config.evaluation.opponents else "random"
    team = "+".join(str(folder.agent) if member is None else member for member in config.team(side_of(rival).members[0]))
    table = f"--ruleset {config.table.ruleset} --players {config.table.players}"
    options = [f"{name}={_plain(value)}" for name, value in config.table.options.items()]
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
