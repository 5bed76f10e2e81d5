"""What a result was made with: the versions of Python and of the packages that matter, and the machine."""

from __future__ import annotations

import platform
import sys
from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, version
from typing import Final

PLAYING: Final = ("truco-env", "numpy", "numba")  #: packages that decide how a match is played
TRAINING: Final = (*PLAYING, "torch", "stable-baselines3", "sb3-contrib", "gymnasium", "pettingzoo")


def versions_of(packages: Sequence[str]) -> dict[str, str]:
    """Return the versions of Python and of installed packages by name, and the platform."""
    versions = {"python": sys.version.split()[0], "platform": platform.platform()}
    for package in packages:
        try:
            versions[package] = version(package)
        except PackageNotFoundError:
            versions[package] = "not installed"
    return versions
