"""Masks: the legal actions of a row, and a uniform choice among them."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from truco_env.engine.bits import count_bits, gather_bits
from truco_env.engine.jit import entry
from truco_env.engine.legal import nth_action
from truco_env.observation.arrays import check_masks
from truco_env.rules.actions import N_ACTIONS


@entry
def _pick(masks: Any, draws: Any, actions: Any) -> None:
    for k in range(len(actions)):
        legal = gather_bits(masks, k * N_ACTIONS)
        actions[k] = nth_action(legal, int(draws[k] * count_bits(legal))) if legal else 0


def pick_uniform(masks: npt.NDArray[np.int8], rng: np.random.Generator) -> npt.NDArray[np.int64]:
    """Return a legal action per row of ``masks`` (int8, (n, N_ACTIONS)), each equally likely; int64 of shape (n,).

    Raises:
        ValueError: masks of another shape or type.
    """
    masks = check_masks(masks)
    actions = np.zeros(len(masks), dtype=np.int64)
    _pick(masks.reshape(-1), rng.random(len(masks)), actions)
    return actions
