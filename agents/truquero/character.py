"""Characters of the rule-based players: plain data over one shared way of deciding."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True)
class Character:
    """How a rule-based player plays.

    Attributes:
        name: its name.
        summary: one line for people.
        call: hand strength (0-1) from which it calls or raises the truco.
        accept: hand strength from which it says quiero to the truco.
        envido: number from which it opens envido.
        bluff: how often it calls with nothing.
    """

    name: str
    summary: str
    call: float
    accept: float
    envido: float
    bluff: float


CHARACTERS: Final = {
    character.name: character
    for character in (
        Character("prudente", "careful: calls with real values and folds without them", call=0.7, accept=0.5, envido=27, bluff=0.03),
        Character("bravo", "aggressive: calls and raises a lot, and bluffs", call=0.55, accept=0.4, envido=25, bluff=0.2),
    )
}
