"""The rule-based players by name: what the entry points of this project stand for."""

from __future__ import annotations

from dataclasses import dataclass

from truco_agents.rule_based.agent import Truquero
from truco_agents.rule_based.character import CHARACTERS, Character
from truco_env.rules.options import Rules


@dataclass(frozen=True)
class RuleBased:
    """Seats a character at a table.

    Attributes:
        character: how it plays.
    """

    character: Character

    @property
    def summary(self) -> str:
        """One line for the list of agents."""
        return self.character.summary

    def __call__(self, rules: Rules, *, mute: bool = False) -> Truquero:
        """Return the player; ``mute``: it makes no señas."""
        return Truquero(self.character, rules, mute=mute)


prudente, bravo, maestro, estacion, faltero, picador, terco, manso, cantor = (RuleBased(CHARACTERS[name]) for name in (
    "prudente", "bravo", "maestro", "estacion", "faltero", "picador", "terco", "manso", "cantor",
))  # fmt: skip
