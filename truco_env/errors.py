"""The errors of truco_env: each is a ``ValueError`` whose text is one sentence."""

from __future__ import annotations


class TrucoError(ValueError):
    """Base of all errors raised for bad input."""


class CardError(TrucoError):
    """A card or a deal that cannot be: unknown, twice, too many, or not of the deck."""


class RulesError(TrucoError):
    """An unknown rule set or option, or a value that the option does not take."""


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
