"""Option codes: the numbers that stand for option values in a rules record, taken from the options index."""

from __future__ import annotations

from typing import Final

from truco_env.rules.options import OPTIONS, OptionValue


def code_of(name: str, value: OptionValue) -> int:
    """Return what a rules record holds for an option's value: a count itself, anything else by its position in ``OPTIONS``.

    Raises:
        ValueError: the option has no such value.
    """
    position = OPTIONS[name].values.index(value)
    return value if type(value) is int else position


FIRST_DEALER_SEAT0: Final = code_of("first_dealer", "seat0")
SCORING_TIME_END_OF_HAND: Final = code_of("scoring_time", "end_of_hand")
TRUCO_RESPONDER_PIE: Final = code_of("truco_responder", "pie")
RETRUCO_RIGHT_EITHER: Final = code_of("retruco_right", "either")
PARDA_LEADER_MANO: Final = code_of("parda_leader", "mano")
PARDA_LEADER_FIRST_TIED: Final = code_of("parda_leader", "first_tied")
ALL_PARDA_MANO_SIDE: Final = code_of("all_parda", "mano_side")
ALL_PARDA_NOBODY: Final = code_of("all_parda", "nobody")
ENVIDO_FIRST_ANNUL: Final = code_of("envido_first", "annul")
FALTA_HALF: Final = code_of("falta", "half")
FALTA_MATCH_IF_MALAS: Final = code_of("falta", "match_if_malas")
FALTA_WINNER: Final = code_of("falta", "winner")
FALTA_LOSER: Final = code_of("falta", "loser")
FALTA_POINTS: Final = len(OPTIONS["falta"].values)  #: a plain number, which stands in ``falta_points``
ENVIT_REFUSED_FLAT1: Final = code_of("envit_refused", "flat1")
ENVIDO_TIE_MANO_TEAM: Final = code_of("envido_tie", "mano_team")
ENVIDO_TIE_NEAREST_MANO: Final = code_of("envido_tie", "nearest_mano")
REVEAL_ENVIDO_WINNER: Final = code_of("reveal_envido", "winner")
REVEAL_ENVIDO_ALL: Final = code_of("reveal_envido", "all")
FLOR_MODE_OFF: Final = code_of("flor_mode", "off")
FLOR_MODE_PENALTY: Final = code_of("flor_mode", "penalty")
FLOR_MODE_FORCED: Final = code_of("flor_mode", "forced")
FLOR_POLL_UNIFORM: Final = code_of("flor_poll", "uniform")
FLOR_OPPOSED_BEST_TAKES_ALL: Final = code_of("flor_opposed", "best_takes_all")
FLOR_OPPOSED_BEST_OWN: Final = code_of("flor_opposed", "best_own")
FOLD_SCOPE_SIDE: Final = code_of("fold_scope", "side")
FOLD_SCOPE_PLAYER: Final = code_of("fold_scope", "player")
SENAS_OFF: Final = code_of("senas", "off")
SENAS_TRUTHFUL: Final = code_of("senas", "truthful")
PICA_ROTATION_PER_PAIR: Final = code_of("pica_rotation", "per_pair")
GALLO_TIE_SHARED: Final = code_of("gallo_tie", "shared")
GALLO_TIE_EXTRA_HAND: Final = code_of("gallo_tie", "extra_hand")
