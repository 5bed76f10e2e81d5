"""Tests that need an extra which is not installed are left out: those of training, and those of the development tools (`make lowest`)."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

HERE = Path(__file__).parent
#: A package -> the tests that need it.
NEEDS = {
    "torch": ("benchmarks", "checkpoint", "config", "pages", "regularisation", "sb3", "selfplay", "tools", "training"),
    "importlinter": ("layers",),
    "mypy": ("record_types",),
}

collect_ignore = [str(HERE / f"test_{name}.py") for package, names in NEEDS.items() if not find_spec(package) for name in names]
