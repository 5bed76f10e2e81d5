"""What calls and answers tell of the holding behind them, and what answers to expect."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import numpy.typing as npt

from truco_agents.rule_based.duel import KINDS, N_KINDS
from truco_agents.rule_based.sight import US
from truco_env.engine.jit import hot_rule

Floats = npt.NDArray[np.float64]

#: Kinds of envido numbers, weakest first: the highest number of each (full deck; other decks have their like).
NUMBER_KINDS: Final = (21, 24, 26, 27, 28, 29, 30, 31, 33)
N_NUMBER_KINDS: Final = len(NUMBER_KINDS)
STAKE_SIZES: Final = (2, 4, 7, 12)  #: stakes of an envido up to each; larger ones are one more size
SIZES: Final = len(STAKE_SIZES) + 1
LADDERS: Final = 17
DEPTHS: Final = 3
CHAINS: Final = 2 + DEPTHS * SIZES

BELIEFS_DTYPE: Final = np.dtype(
    [
        ("ladder", np.float64, (3, LADDERS, N_KINDS)),  # [trick, ladder]: how often rivals of each kind stand there
        ("accepts", np.float64, (3, 4, N_KINDS)),  # [trick, rung - 1]: how often each kind does not refuse it
        ("raises", np.float64, (3, 4, N_KINDS)),  # ... and raises it
        ("chain", np.float64, (CHAINS, N_NUMBER_KINDS)),
        ("chain_accepts", np.float64, (CHAINS, N_NUMBER_KINDS)),  # [the chain as the answerer sees it]
    ],
    align=True,
)


@hot_rule
def ladder(s: Any) -> int:
    """Number the state of the truco ladder as our side sees it: how high, whose call, waiting or accepted."""
    rung = max(int(s.rung), int(s.waits))
    if rung == 0:
        return 0
    return 4 * rung - 3 + (0 if s.caller[rung - 1] == US else 2) + (1 if s.waits == 0 else 0)


@hot_rule
def chain(calls: int, stake: int, rivals_passed: bool) -> int:
    """Number the state of the envido: nothing called, with or without a rival who let it pass; or how deep and how dear."""
    if calls == 0:
        return 1 if rivals_passed else 0
    size = 0
    while size < len(STAKE_SIZES) and stake > STAKE_SIZES[size]:
        size += 1
    return 2 + (min(calls, DEPTHS) - 1) * SIZES + size


@hot_rule
def believe(s: Any, b: Any) -> None:
    """Fill ``s.belief``: how likely each kind of rival holding makes the ladder as it stands."""
    row = b.ladder[s.trick, ladder(s)]
    for kind in range(N_KINDS):
        s.belief[kind] = row[kind]


_HOLDINGS: Final = (np.array(KINDS) + np.array((0.0, *KINDS[:-1]))) / 2  # the middle of each kind, as a share of all holdings
_NUMBERS: Final = (np.array(NUMBER_KINDS) + np.array((20, *NUMBER_KINDS[:-1])) + 1) / 2
_HOLDING_BLUR: Final = 0.1  # how sharply players divide holdings that they call with from others
_NUMBER_BLUR: Final = 1.0
_PASSED: Final = 0.7  # how often a rival opens an envido with a number to open with, when it is his turn


def _from(values: Floats, least: float, blur: float) -> Floats:
    """How often a player acts with each of ``values`` who does so from about ``least`` on."""
    return np.asarray(1 / (1 + np.exp((least - values) / blur)))


def beliefs_of(
    *, doubt: float, envido_doubt: float, calls_from: tuple[float, ...], calls_step: float, quiero_from: tuple[float, ...],
    quiero_step: float, raises: float, envido_calls_from: tuple[float, ...], envido_quiero_from: tuple[float, ...], envido_step: float,
) -> npt.NDArray[np.void]:  # fmt: skip
    """Return the beliefs of a character (see ``Character``): an array of one ``BELIEFS_DTYPE`` record."""
    beliefs = np.zeros(1, dtype=BELIEFS_DTYPE)
    b = beliefs[0]
    b["ladder"] = 1.0
    for trick in range(3):
        for rung in range(1, 5):
            accepts = _from(_HOLDINGS, quiero_from[trick] + quiero_step * (rung - 1), _HOLDING_BLUR)
            calls = doubt + (1 - doubt) * _from(_HOLDINGS, calls_from[trick] + calls_step * (rung - 1), _HOLDING_BLUR)
            b["accepts"][trick, rung - 1] = accepts
            if rung < 4:
                b["raises"][trick, rung - 1] = raises * _from(_HOLDINGS, calls_from[trick] + calls_step * rung, _HOLDING_BLUR)
            b["ladder"][trick, 4 * rung - 2] = accepts
            b["ladder"][trick, 4 * rung - 1 : 4 * rung + 1] = calls
    b["chain"] = 1.0
    b["chain"][1] = 1 - _PASSED * _from(_NUMBERS, envido_calls_from[0], _NUMBER_BLUR)
    for depth in range(DEPTHS):
        for size in range(SIZES):
            calls = _from(_NUMBERS, envido_calls_from[size] + envido_step * depth, _NUMBER_BLUR)
            b["chain"][2 + depth * SIZES + size] = envido_doubt + (1 - envido_doubt) * calls
            accepts = _from(_NUMBERS, envido_quiero_from[size] + envido_step * depth, _NUMBER_BLUR)
            b["chain_accepts"][2 + depth * SIZES + size] = accepts
    return beliefs
