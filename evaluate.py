"""Compare agents on deal groups: ``python evaluate.py --help``."""

from __future__ import annotations

import sys


def run() -> int:
    """Run the command line; the import takes long enough to be interrupted as well."""
    try:
        from truco_agents.arena.cli import main
    except KeyboardInterrupt:
        return 130
    return main()


if __name__ == "__main__":
    sys.exit(run())
