"""What calls and answers tell of the holding behind them, and what answers to expect."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import numpy.typing as npt

from agents.truquero.duel import N_KINDS
from agents.truquero.sight import US
from truco_env.engine.compile import hot_rule, rule

#: Kinds of envido numbers, weakest first: the highest number of each.
NUMBER_KINDS: Final = (19, 24, 26, 28, 30, 33)
N_NUMBER_KINDS: Final = len(NUMBER_KINDS)
STAKE_SIZES: Final = (2, 4, 7, 12)  #: stakes of an envido up to each; larger ones are one more size
LADDERS: Final = 17
DEPTHS: Final = 3
CHAINS: Final = 2 + DEPTHS * (len(STAKE_SIZES) + 1)

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
    return 2 + (min(calls, DEPTHS) - 1) * (len(STAKE_SIZES) + 1) + size


@hot_rule
def believe(s: Any, b: Any) -> None:
    """Fill ``s.belief``: how likely each kind of rival holding makes the ladder as it stands."""
    row = b.ladder[s.trick, ladder(s)]
    for kind in range(N_KINDS):
        s.belief[kind] = row[kind]


@rule
def number_kind(number: int) -> int:
    """The kind of an envido number."""
    kind = 0
    while number > NUMBER_KINDS[kind]:
        kind += 1
    return kind


#: How often each kind of holding, weakest first, calls a truco, says quiero to one; calls an envido, says quiero to one.
_CALLS: Final = np.array([0.1, 0.25, 0.5, 0.8, 1.0])
_QUIERO: Final = np.array([0.2, 0.5, 0.8, 0.97, 1.0])
_NUMBER_CALLS: Final = np.array([0.1, 0.2, 0.4, 0.8, 1.0, 1.0])
_NUMBER_QUIERO: Final = np.array([0.1, 0.25, 0.6, 0.9, 1.0, 1.0])


def beliefs_of(
    *, doubt: float, respect: tuple[float, float, float], quiero: tuple[float, float, float], step: float, raises: float,
    envido_respect: float, envido_quiero: float, envido_step: float, envido_size: float,
) -> npt.NDArray[np.void]:  # fmt: skip
    """Return the beliefs of a character (see ``Character``): an array of one ``BELIEFS_DTYPE`` record."""
    beliefs = np.zeros(1, dtype=BELIEFS_DTYPE)
    b = beliefs[0]
    b["ladder"] = 1.0
    for trick in range(3):
        for rung in range(1, 5):
            steeper = 1 + step * (rung - 1)
            b["accepts"][trick, rung - 1] = _QUIERO ** (quiero[trick] * steeper)
            b["raises"][trick, rung - 1] = raises * _CALLS ** (respect[trick] * (steeper + step)) if rung < 4 else 0.0
            b["ladder"][trick, 4 * rung - 2] = doubt + (1 - doubt) * b["accepts"][trick, rung - 1]
            b["ladder"][trick, 4 * rung - 1 : 4 * rung + 1] = doubt + (1 - doubt) * _CALLS ** (respect[trick] * steeper)
    b["chain"] = 1.0
    b["chain"][1] = 1 - 0.7 * _NUMBER_CALLS
    for depth in range(DEPTHS):
        for size in range(len(STAKE_SIZES) + 1):
            state = 2 + depth * (len(STAKE_SIZES) + 1) + size
            steeper = 1 + envido_step * depth + envido_size * size
            b["chain"][state] = doubt + (1 - doubt) * _NUMBER_CALLS ** (envido_respect * steeper)
            b["chain_accepts"][state] = _NUMBER_QUIERO ** (envido_quiero * steeper)
    return beliefs
