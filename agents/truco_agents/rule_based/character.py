"""Characters of the rule-based players: plain data over one shared way of deciding."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from typing import Final

import numpy as np
import numpy.typing as npt

from truco_agents.rule_based.beliefs import BELIEFS_DTYPE, beliefs_of
from truco_agents.rule_based.habit import HABITS

#: The compiled form of a ``Character``: one field per trait that is not a belief, and the beliefs.
CHARACTER_DTYPE: Final = np.dtype(
    [
        ("beliefs", BELIEFS_DTYPE),
        ("caution", np.float64),
        ("option", np.float64),
        ("value", np.float64, 3),
        ("bluff", np.float64, 3),
        ("bluff_raise", np.float64),
        ("patience", np.float64),
        ("defence", np.float64),
        ("envido_defence", np.float64),
        ("envido_caution", np.float64),
        ("envido_value", np.float64),
        ("great", np.float64),
        ("envido_bluff", np.float64),
        ("envido_bluff_raise", np.float64),
        ("envido_bluff_falta", np.float64),
        ("envido_patience", np.float64),
        ("flor_respect", np.float64),
        ("flor_fold", np.float64),
        ("habit", np.int8),
    ],
    align=True,
)


_BELIEFS: Final = (
    "doubt", "envido_doubt", "calls_from", "calls_step", "quiero_from", "quiero_step", "raises", "envido_calls_from",
    "envido_quiero_from", "envido_step",
)  # fmt: skip


@dataclass(frozen=True)
class Character:
    """How a rule-based player judges others and what it dares.

    Attributes:
        name: its name.
        summary: one line for people.
        doubt: how far it disbelieves what truco calls and answers of rivals tell, 0 to 1.
        envido_doubt: how far it disbelieves what their envido calls tell.
        calls_from: by trick, from which share of all holdings it thinks rivals call truco: 0.4 = they do with the better 60 %.
        calls_step: by how much more for each higher rung.
        quiero_from: by trick, from which share of all holdings it thinks rivals say quiero.
        quiero_step: by how much more for each higher rung.
        raises: how often it expects the strongest to answer a truco with a raise.
        caution: taken off its chances before it calls or accepts; less than 0 for a player who thinks too well of his cards.
        option: added to its chances when it accepts, for the right to raise.
        value: by trick, the chance to win, once it is accepted, from which it calls the truco for its value.
        bluff: by trick, how often it calls the truco without the cards for it.
        bluff_raise: how often it answers a truco that it would refuse with a raise.
        patience: how often it keeps silent about a truco it would call while it is not the last chance.
        defence: how much of the least defence it keeps up against a truco, whatever it believes: with 1 no bluff pays on the whole.
        envido_defence: the same against an envido.
        envido_calls_from: from which number it thinks rivals call an envido, by its stake: to 2, 4, 7, 12 points, and above.
        envido_quiero_from: from which number it thinks rivals say quiero, by the same stakes.
        envido_step: by how much more, both, for each raise.
        envido_caution: taken off its chances before it calls or accepts an envido.
        envido_value: the chance to win, once it is accepted, from which it calls an envido for its value.
        great: how many of all rival numbers its own must beat before it calls for more than seven points.
        envido_bluff: how often it opens envido without the number for it.
        envido_bluff_raise: how often it answers an envido that it would refuse with a raise.
        envido_bluff_falta: how many of these bluffs are falta envido at once.
        envido_patience: how often it leaves a good number unsaid, or a raise unmade.
        flor_respect: the share of flores with which it thinks rivals do not call a contraflor.
        flor_fold: the share of flores with which it thinks rivals refuse a contraflor.
        habit: one of ``HABITS``, which overrides what it would do; none for a player who thinks.
    """

    name: str
    summary: str
    doubt: float = 0.1
    envido_doubt: float = 0.2
    calls_from: tuple[float, float, float] = (0.45, 0.45, 0.45)
    calls_step: float = 0.15
    quiero_from: tuple[float, float, float] = (0.4, 0.4, 0.4)
    quiero_step: float = 0.15
    raises: float = 0.5
    caution: float = 0.0
    option: float = 0.0
    value: tuple[float, float, float] = (0.5, 0.5, 0.5)
    bluff: tuple[float, float, float] = (0.04, 0.08, 0.12)
    bluff_raise: float = 0.05
    patience: float = 0.3
    defence: float = 0.8
    envido_defence: float = 0.8
    envido_calls_from: tuple[float, float, float, float, float] = (25.0, 27.0, 28.5, 30.0, 31.0)
    envido_quiero_from: tuple[float, float, float, float, float] = (25.0, 27.0, 28.5, 30.0, 31.0)
    envido_step: float = 0.5
    envido_caution: float = 0.0
    envido_value: float = 0.5
    great: float = 0.92
    envido_bluff: float = 0.06
    envido_bluff_raise: float = 0.03
    envido_bluff_falta: float = 0.1
    envido_patience: float = 0.2
    flor_respect: float = 0.5
    flor_fold: float = 0.3
    habit: str = ""

    @property
    def record(self) -> npt.NDArray[np.void]:
        """The compiled form: an array of one ``CHARACTER_DTYPE`` record."""
        record = np.zeros(1, dtype=CHARACTER_DTYPE)
        traits = asdict(self)
        for trait in CHARACTER_DTYPE.names or ():
            if trait not in ("beliefs", "habit"):
                record[trait] = traits[trait]
        record["habit"] = HABITS.index(self.habit)
        told = {trait: value for trait, value in traits.items() if trait in _BELIEFS}
        record["beliefs"] = beliefs_of(**told)
        return record


#: What ``prudente`` and ``bravo`` have in common.
_TEMPERED: Final = Character(
    "tempered",
    "weighs every call by its odds, the stake and the score",
    doubt=0.05,
    caution=-0.05,
    option=-0.045,
    value=(0.55, 0.42, 0.54),
    bluff=(0.05, 0.13, 0.09),
    bluff_raise=0.0,
    patience=0.65,
    envido_caution=-0.03,
    envido_value=0.25,
    envido_bluff=0.02,
    envido_bluff_raise=0.05,
    envido_bluff_falta=0.05,
    envido_patience=0.05,
    flor_respect=0.6,
    flor_fold=0.37,
)

#: A player without tricks, on whom the habits are put: it calls what it holds, and never bluffs.
_PLAIN: Final = Character(
    "plain",
    "calls what it holds, and never bluffs",
    bluff=(0.0, 0.0, 0.0),
    bluff_raise=0.0,
    patience=0.0,
    envido_bluff=0.0,
    envido_bluff_raise=0.0,
    envido_patience=0.0,
)

#: Simple characters: each follows one habit, and is lost on everybody who does not fall to it.
SIMPLE: Final = tuple(
    replace(_PLAIN, name=name, summary=summary, habit=habit)
    for name, habit, summary in (
        ("estacion", "station", "a calling station: never bluffs, accepts by fixed numbers"),
        ("faltero", "falta", "answers every envido with falta envido"),
        ("picador", "raise", "raises every truco"),
        ("terco", "stay", "never folds"),
        ("manso", "fold", "folds to everything"),
        ("cantor", "open", "always opens the envido"),
    )
)

CHARACTERS: Final = {
    character.name: character
    for character in (
        *SIMPLE,
        replace(
            _TEMPERED,
            name="prudente",
            summary="careful: calls with real values, believes the calls of others and folds well",
            doubt=0.1,
            envido_doubt=0.3,
            caution=0.03,
            value=(0.64, 0.55, 0.62),
            bluff=(0.01, 0.04, 0.04),
            patience=0.3,
            envido_caution=0.03,
            envido_value=0.5,
            envido_bluff=0.01,
            envido_bluff_raise=0.0,
        ),
        replace(
            _TEMPERED,
            name="bravo",
            summary="aggressive: calls and raises on little, disbelieves the calls of others and bluffs a lot",
            doubt=0.25,
            envido_doubt=0.3,
            caution=-0.08,
            value=(0.48, 0.4, 0.45),
            bluff=(0.08, 0.2, 0.25),
            bluff_raise=0.08,
            patience=0.1,
            envido_caution=-0.08,
            envido_bluff=0.12,
            envido_bluff_raise=0.08,
            envido_bluff_falta=0.02,
        ),
        Character(
            "maestro",
            "weighs every call by its odds, the stake and the score; lies in wait with good cards and bluffs little",
            doubt=0.483,
            envido_doubt=0.3,
            calls_from=(0.419, 0.38, 0.795),
            calls_step=0.088,
            quiero_from=(0.298, 0.341, 0.307),
            quiero_step=0.399,
            raises=0.088,
            caution=0.013,
            option=-0.05,
            value=(0.593, 0.4, 0.35),
            bluff=(0.127, 0.143, 0.232),
            bluff_raise=0.0,
            patience=0.494,
            defence=0.9,
            envido_defence=0.8,
            envido_calls_from=(25.155, 24.652, 23.57, 30.078, 26.464),
            envido_quiero_from=(26.623, 25.078, 28.205, 28.134, 26.587),
            envido_step=-1.325,
            envido_caution=-0.089,
            envido_value=0.16,
            great=0.758,
            envido_bluff=0.0,
            envido_bluff_raise=0.0,
            envido_bluff_falta=0.164,
            envido_patience=0.0,
            flor_respect=0.763,
            flor_fold=0.237,
        ),
    )
}

#: The names of the ladder: opponents that every agent is measured against, from the floor up.
LADDER: Final = ("random", *CHARACTERS)
