"""The errors of truco_env: each is a ``ValueError`` whose text is one sentence."""

from __future__ import annotations

from collections.abc import Sequence


class TrucoError(ValueError):
    """Base of all errors raised for bad input."""


class CardError(TrucoError):
    """A card or a deal that cannot be: unknown, twice, too many, or not of the deck."""


class RulesError(TrucoError):
    """An unknown rule set or option, or a value that the option does not take."""


class ArgumentError(RulesError, TypeError):
    """A keyword or a render mode that an environment does not have: a ``TypeError`` too, as Python itself and trainers have it."""


class ActionError(TrucoError):
    """A text or a number that is no action at all."""


class IllegalActionError(TrucoError):
    """An action that exists but is not legal now; the game is unchanged."""


class PositionError(TrucoError):
    """A position that cannot be set up: dealer, scores or legs out of range."""


class NotationError(TrucoError):
    """A text that is no game notation, or does not replay."""


class CaseError(TrucoError):
    """A case or trace file that cannot be read."""


def show(value: object) -> str:
    """Return a value as an error message shows it: on one line, at most 60 characters, whatever it is."""
    try:
        text = " ".join(repr(value).split())
    except Exception:  # an integer of thousands of digits has no repr, and a foreign object may have a broken one
        text = f"<{type(value).__name__}>"
    return text if len(text) <= 60 else text[:57] + "..."


def choose(name: str, value: object, known: Sequence[str]) -> int:
    """Return the position of ``value`` in ``known``; ``name`` is what an error calls it.

    Raises:
        ValueError: it is not there.
    """
    if not isinstance(value, str) or value not in known:
        raise ValueError(f"{name}={show(value)} is not known: choose one of {', '.join(known)}")
    return known.index(value)
