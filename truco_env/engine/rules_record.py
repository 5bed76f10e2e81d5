"""The record of a table's rules, as compiled code reads them."""

from __future__ import annotations

from functools import cache
from typing import Final

import numpy as np
import numpy.typing as npt

from truco_env.engine.jit import with_fields
from truco_env.engine.option_codes import FALTA_POINTS, code_of
from truco_env.rules.cards import DECKS, first_tier
from truco_env.rules.options import OPTIONS, Rules

_OF_THEIR_OWN: Final = ("falta", "sena_catch", "pica_band", "pica_falta")  # options that take more than the values listed

#: The compiled record of a ``Rules``. Enumerated options are the codes of ``option_codes``; fields below the first block are derived.
RULES_DTYPE: Final = np.dtype(
    [
        *((name, np.int8) for name in OPTIONS if name not in _OF_THEIR_OWN),
        ("falta", np.int8),  # FALTA_POINTS for a plain number
        ("falta_points", np.int16),
        ("pica_falta", np.int16),  # 0 = full
        ("pica_low", np.int16),
        ("pica_high", np.int16),
        ("sena_catch", np.float64),
        ("players", np.int8),
        ("gallo", np.int8),
        ("deck", np.int8),
        ("deck_size", np.int8),
        ("first_tier", np.int16),  # where the truco ranks of the deck begin
        ("leg_target", np.int16),
        ("legs_to_win", np.int8),
        ("top_rung", np.int8),  # 3 = vale cuatro, 4 = joc fora
        ("truc", np.int8),  # envide, torne, falta; secret envit; joc fora
        ("pies_envido", np.int8),  # only the pie answers envido, whatever truco_responder says
        ("pies_open", np.int8),  # only the pie opens envido
        ("plain_envidos", np.int8),  # most plain envidos in a chain
        ("anybody_mazo", np.int8),  # any active player may give the side's hand up
        ("flor_answers", np.int8),  # 0 none, FLOR_COMPARE6, FLOR_CLARIN, FLOR_TRUCOMANO
        ("flor_tie_side", np.int8),  # equal flores: mano's side; else the nearest to mano
        ("leaving_singer", np.int8),  # r30a: 0 does not exist, SINGER_SHOWN, SINGER_LOSES
    ],
    align=True,
)
FLOR_COMPARE6: Final = 1
FLOR_CLARIN: Final = 2
FLOR_TRUCOMANO: Final = 3
SINGER_SHOWN: Final = 1
SINGER_LOSES: Final = 2


@cache
def record_of(rules: Rules) -> npt.NDArray[np.void]:
    """Return the compiled form of a table's rules: an array of one ``RULES_DTYPE`` record, read-only."""
    record = np.zeros(1, dtype=RULES_DTYPE)
    for name in OPTIONS:
        if name not in _OF_THEIR_OWN:
            record[name] = code_of(name, getattr(rules, name))
    _fill_falta(rules, record)
    reglamento, truc = rules.ruleset == "reglamento", rules.ruleset == "truc_valencia"
    record["sena_catch"] = rules.sena_catch
    record["players"], record["gallo"] = rules.players, rules.gallo
    record["deck"], record["deck_size"], record["first_tier"] = rules.deck, len(DECKS[rules.deck]), first_tier(rules.deck)
    record["leg_target"], record["legs_to_win"] = rules.leg_target, rules.legs_to_win
    record["top_rung"] = 4 if truc else 3
    record["truc"], record["anybody_mazo"] = truc, truc
    record["pies_envido"], record["pies_open"] = reglamento, reglamento or rules.envido_callers == "pie"
    record["plain_envidos"] = rules.envido_max_calls if reglamento else 2
    record["flor_tie_side"] = reglamento
    if reglamento:
        record["leaving_singer"] = SINGER_SHOWN if rules.flor_auto_show else SINGER_LOSES
    if rules.ruleset == "trucomano":
        record["flor_answers"] = FLOR_TRUCOMANO
    elif rules.contraflor:
        record["flor_answers"] = FLOR_CLARIN if rules.flor_table == "clarin" else FLOR_COMPARE6
    record.setflags(write=False)
    return with_fields(record)


def _fill_falta(rules: Rules, record: npt.NDArray[np.void]) -> None:
    falta = rules.falta
    if falta is None:
        falta = "match_if_malas" if rules.target == 30 and not rules.gallo else "leader"
    if isinstance(falta, str):
        record["falta"] = code_of("falta", falta)
    else:
        record["falta"], record["falta_points"] = FALTA_POINTS, falta
    record["pica_falta"] = 0 if rules.pica_falta == "full" else rules.pica_falta
    record["pica_low"], record["pica_high"] = rules.band
