"""Tests of training need the extra `train`; where it is not installed (`make lowest`) they are left out."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

HERE = Path(__file__).parent
NEEDS_TRAIN = ("benchmarks", "checkpoint", "config", "pages", "tools", "training")

collect_ignore = [] if find_spec("torch") else [str(HERE / f"test_{name}.py") for name in NEEDS_TRAIN]
