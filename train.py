"""Train an agent by PPO: ``python train.py --help``."""

from __future__ import annotations

import sys

from truco_agents.training.cli import main

if __name__ == "__main__":
    sys.exit(main())
