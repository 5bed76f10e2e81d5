"""The terms that matches are played on: rules, layout, what an episode is and what it pays, as one record for compiled code."""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

from truco_env.batch.rewards import EPISODES, REWARDS
from truco_env.engine.jit import with_fields
from truco_env.engine.rules_record import RULES_DTYPE, record_of
from truco_env.errors import choose
from truco_env.observation.layout import F, layout_of
from truco_env.rules.options import Rules

TERMS_DTYPE: Final = np.dtype(
    [
        ("rules", RULES_DTYPE),
        ("at", np.int32, len(F) + 1),  # offsets of the layout
        ("episode", np.int64),  # position in EPISODES
        ("reward", np.int64),  # position in REWARDS
    ],
    align=True,
)


def terms_of(rules: Rules, *, episode: str, reward: str) -> npt.NDArray[np.void]:
    """Return the terms of a table: a ``TERMS_DTYPE`` array of one entry.

    Raises:
        ValueError: an unknown episode or reward.
    """
    terms = np.zeros(1, dtype=TERMS_DTYPE)
    terms["episode"], terms["reward"] = choose("episode", episode, EPISODES), choose("reward", reward, REWARDS)
    terms["rules"], terms["at"] = record_of(rules), layout_of(rules).offsets
    return with_fields(terms)
