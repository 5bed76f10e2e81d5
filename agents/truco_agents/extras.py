"""What is not installed with ``pip install truco-env`` alone."""

from __future__ import annotations

from importlib.util import find_spec
from typing import Final

from truco_env.errors import TrucoError

#: The packages of each extra, by the names that they are imported by.
EXTRAS: Final = {"train": ("torch", "stable_baselines3", "sb3_contrib", "pydantic", "matplotlib", "tensorboard")}


class MissingExtraError(TrucoError):
    """Something needs packages that are not installed."""


def require(extra: str, what: str) -> None:
    """Refuse in one line if the packages of an extra are not all installed; none of them is imported.

    Args:
        extra: its name.
        what: what needs it, as the subject of a sentence.

    Raises:
        MissingExtraError: some are missing.
    """
    missing = [name for name in EXTRAS[extra] if find_spec(name) is None]
    if missing:
        raise MissingExtraError(f"{what} needs {', '.join(missing)}: pip install 'truco-env[{extra}]'")
