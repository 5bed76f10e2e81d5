"""Dispatch of ``truco COMMAND ...``; a command's module is loaded only when it is used."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Final

from truco_env import __version__
from truco_env.errors import TrucoError
from truco_env.program.line import BAD_INPUT, INTERRUPTED, CommandLine


class MissingPackageError(TrucoError):
    """A command needs a package that is not installed."""


@dataclass(frozen=True)
class Command:
    """One command of the program.

    Attributes:
        module: the module with its ``main(arguments, *, prog)``.
        summary: one line for ``truco --help``.
    """

    module: str
    summary: str


COMMANDS: Final = {
    "train": Command("truco_agents.training.cli", "train an agent by PPO (needs the extra: pip install 'truco-env[train]')"),
    "evaluate": Command("truco_agents.arena.cli", "compare agents on the same deals"),
    "cases": Command("truco_env.conformance.cases", "run case and trace files"),
    "rules": Command("truco_env.program.rules", "print the rule sets and their options"),
    "observation": Command("truco_env.program.observation", "print the layout of a table's observations"),
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command and return its exit status: 0, 1 if a case failed, 2 for bad input (told in one line), 130 after Ctrl-C."""
    options = _parser().parse_args(arguments)
    prog = f"truco {options.command}"
    try:
        return _run(options.command, options.arguments, prog)
    except BrokenPipeError:  # the reader, such as `head`, has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except (TrucoError, OSError) as error:
        print(f"{prog}: {' '.join(str(error).split())}", file=sys.stderr)
        return BAD_INPUT
    except KeyboardInterrupt:
        print(f"{prog}: interrupted", file=sys.stderr)
        return INTERRUPTED


def _parser() -> CommandLine:
    commands = "\n".join(f"  {name:<12} {command.summary}" for name, command in COMMANDS.items())
    parser = CommandLine(
        prog="truco",
        usage="truco [-h] [--version] COMMAND ...",
        description="The Truco card games as environments for reinforcement learning.",
        epilog=f"commands:\n{commands}\n\n`truco COMMAND --help` explains a command.",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"truco-env {__version__}")
    parser.add_argument("command", choices=COMMANDS, metavar="COMMAND", help=argparse.SUPPRESS)
    rest = parser.add_argument("arguments", nargs=argparse.REMAINDER, help=argparse.SUPPRESS)
    rest.required = False  # argparse would name it beside a missing command
    return parser


def _run(command: str, arguments: Sequence[str], prog: str) -> int:
    try:
        module = import_module(COMMANDS[command].module)
    except ModuleNotFoundError as error:
        raise MissingPackageError(f"the package {error.name} is not installed: pip install 'truco-env[train]' brings it") from error
    return int(module.main(arguments, prog=prog))
