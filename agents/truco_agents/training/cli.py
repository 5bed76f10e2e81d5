"""The command line of training: ``python train.py --help``. It loads what training needs only when it trains."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path

from truco_agents.extras import require
from truco_env.errors import TrucoError
from truco_env.program.line import BAD_INPUT, INTERRUPTED, CommandLine


def _parser(prog: str) -> CommandLine:
    parser = CommandLine(prog=prog, description="Train an agent by PPO against a pool of opponents.")
    source = parser.add_mutually_exclusive_group(required=True)
    source.add_argument("--config", metavar="FILE", help="what to train: a YAML file, or the name of a preset such as argentino")
    source.add_argument("--resume", type=Path, metavar="FOLDER", help="continue the run in FOLDER from its newest checkpoint")
    parser.add_argument(
        "--run", type=Path, metavar="FOLDER", help="folder of a new run (default: runs/NAME-DATE); an old run there is moved aside"
    )
    parser.add_argument("changes", nargs="*", metavar="key=value", help="values that replace those of the config, such as ppo.epochs=2")
    return parser


def main(arguments: Sequence[str] | None = None, *, prog: str = "train.py") -> int:
    """Run the command line and return its exit status: 0 done, 2 wrong input, 130 stopped and saved."""
    options = _parser(prog).parse_args(arguments)
    try:
        require("train", "training")
        # Threads of torch that wait must not spin: beside any other work on the machine that makes training ten times slower.
        os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")  # read when torch is loaded
        from truco_agents.training.session import resume, start

        if options.resume is not None:
            return resume(options.resume, options.changes)
        return start(options.config, options.run, options.changes)
    except (TrucoError, OSError) as error:
        print(f"{prog}: {' '.join(str(error).split())}", file=sys.stderr)
        return BAD_INPUT
    except KeyboardInterrupt:
        print(f"{prog}: interrupted before training began", file=sys.stderr)
        return INTERRUPTED
