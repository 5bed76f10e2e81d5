"""Action: one enumeration for all rule sets, so that masks, models and logs are comparable."""

from __future__ import annotations

import operator
from enum import IntEnum
from typing import Final, SupportsIndex

import numpy as np

from truco_env.errors import ActionError, show


class Action(IntEnum):
    """What a seat can do. The ids are the same in every rule set (rules.md 0.3)."""

    PLAY_0 = 0
    PLAY_1 = 1
    PLAY_2 = 2
    DISCARD_0 = 3
    DISCARD_1 = 4
    DISCARD_2 = 5
    DISCARD_3 = 6
    TRUCO = 7
    RETRUCO = 8
    VALE_CUATRO = 9
    JOC_FORA = 10
    ENVIDO = 11
    REAL_ENVIDO = 12
    TORNE = 13
    FALTA_ENVIDO = 14
    FLOR = 15
    CONTRAFLOR = 16
    CONTRAFLOR_AL_RESTO = 17
    QUIERO = 18
    NO_QUIERO = 19
    MAZO = 20
    CERRARSE = 21
    PASO = 22
    SENA_AS_ESPADAS = 23
    SENA_AS_BASTOS = 24
    SENA_SIETE_ESPADAS = 25
    SENA_SIETE_OROS = 26
    SENA_TRES = 27
    SENA_DOS = 28
    SENA_AS_FALSO = 29
    SENA_REY = 30
    SENA_CABALLO = 31
    SENA_SOTA = 32
    SENA_CIEGO = 33
    SENA_TANTO_27 = 34
    SENA_TANTO_30 = 35


N_ACTIONS: Final = len(Action)
N_SENAS: Final = 13

#: Text of the actions that do not name a card, by id; a play or discard is written with its card.
CALL_NAMES: Final[dict[Action, str]] = {
    action: f"sena:{action.name[5:].lower()}" if action.name.startswith("SENA_") else action.name.lower()
    for action in Action
    if action >= Action.TRUCO
}
_BY_NAME: Final = {name: action for action, name in CALL_NAMES.items()}

_WORDS: Final[dict[str, dict[Action, str]]] = {
    "truc_valencia": {
        Action.TRUCO: "truque",
        Action.RETRUCO: "retruque",
        Action.VALE_CUATRO: "quatre val",
        Action.JOC_FORA: "joc fora",
        Action.ENVIDO: "envide",
        Action.TORNE: "torne",
        Action.FALTA_ENVIDO: "envide la falta",
        Action.QUIERO: "vull",
        Action.NO_QUIERO: "no vull",
        Action.MAZO: "me'n vaig",
        Action.CERRARSE: "me'n vaig jo",
    },
    "trucomano": {
        Action.VALE_CUATRO: "vale 4",
        Action.CONTRAFLOR_AL_RESTO: "contra flor y al resto",
        Action.NO_QUIERO: "me achico",
        Action.MAZO: "me voy al mazo",
    },
    "": {Action.MAZO: "me voy al mazo", Action.CERRARSE: "me cierro"},
}


def call_action(name: str) -> Action:
    """Return the action of a call or seña name such as ``"vale_cuatro"``.

    Raises:
        ActionError: there is no such call.
    """
    action = _BY_NAME.get(name)
    if action is None:
        raise ActionError(f"{name!r} is no action: write a card such as 7O, discard:CARD, or one of {', '.join(_BY_NAME)}")
    return action


def check_action(action: SupportsIndex) -> int:
    """Return the id of an action that somebody gave.

    Raises:
        ActionError: it is anything but an integer from 0 to 35; booleans and floats are not integers here.
    """
    try:
        index = -1 if isinstance(action, bool | np.bool_) else operator.index(action)
    except TypeError:
        index = -1
    if not 0 <= index < N_ACTIONS:
        raise ActionError(f"{show(action)} is no action: give an integer from 0 to {N_ACTIONS - 1}")
    return index


def display_word(action: Action, ruleset: str) -> str:
    """Return what a player of ``ruleset`` says for a call, such as ``"truque"`` for TRUCO in ``truc_valencia``."""
    own = _WORDS.get(ruleset, _WORDS[""])
    return own.get(action, CALL_NAMES[action].replace("sena:", "seña ").replace("_", " "))
