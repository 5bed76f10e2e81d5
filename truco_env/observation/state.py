"""The state of the whole table as one vector, for critics that may see everything (training with a central critic)."""

from __future__ import annotations

from functools import cache
from typing import Final

import numpy as np
import numpy.typing as npt

from truco_env.engine.jit import with_fields
from truco_env.observation.layout import CARD_WIDTH, N_POLLS, Field, Layout, decode, decode_card, layout_of
from truco_env.rules.actions import N_SENAS
from truco_env.rules.options import Rules

#: Where the fields that only a state has start in it, and where the last of them ends.
HIDDEN_DTYPE: Final = np.dtype(
    [
        (name, np.int32)
        for name in (
            "hands", "holds", "envidos", "flores", "can_sing", "asked", "pasos", "face_down", "senas_made", "senas_seen", "end",
        )
    ]
)  # fmt: skip
_CARDS: Final = ("hands", "face_down")


class StateLayout(Layout):
    """The layout of ``state()``: the observation of seat 0, so that its relative seats are the absolute ones, then what it cannot see.

    Attributes:
        observation_size: length of the first part.
        hidden_offsets: where each field of the second part starts: one ``HIDDEN_DTYPE`` record, as an array.
    """

    def __init__(self, players: int, *, duels: bool = False, senas: bool = False) -> None:
        super().__init__(players, duels=duels, senas=senas)
        self.observation_size = self.size
        n, slots, gallo = players, self.slots, players == 3
        fields = list(self.fields)
        offsets = np.zeros(1, dtype=HIDDEN_DTYPE)
        for name, shape, high, scale, axes, meaning in (
            ("hands", (n, slots, CARD_WIDTH), 1, 1, "seat, slot, card", "the dealt cards of every seat (gallo's dealer: those kept)"),
            ("holds", (n, slots), 1, 1, "seat, slot", "not played yet"),
            ("envidos", (n,), 37, 33, "seat", "envido number of every seat (before gallo's discard 0)"),
            ("flores", (n,), 38, 38, "seat", "flor of every seat, 0 = none"),
            ("can_sing", (n,), 1, 1, "seat", "holds a flor and has the right to sing it"),
            ("asked", (n,), 1, 1, "seat", "acts now, also in a poll for a flor"),
            ("pasos", (n, N_POLLS), 1, 1, "seat, poll", "said paso in that poll (polls as in passed)"),
            ("face_down", (CARD_WIDTH,) if gallo else (0,), 1, 1, "card", "the card gallo's dealer discarded"),
            ("senas_made", (n, 3, N_SENAS) if senas else (0,), 1, 1, "seat, trick, seña", "every seña, whoever saw it"),
            ("senas_seen", (n, 3, n) if senas else (0,), 1, 1, "seat, trick, viewer", "who saw that seña"),
        ):
            field = Field(name, self.size, shape, 0, high, scale, axes, meaning)
            offsets[name] = self.size
            self.size += field.size
            if field.size:
                fields.append(field)
        self.fields = tuple(fields)
        offsets["end"] = self.size
        offsets.setflags(write=False)
        self.hidden_offsets = with_fields(offsets)


@cache
def _state_layout(players: int, duels: bool, senas: bool) -> StateLayout:
    return StateLayout(players, duels=duels, senas=senas)


def state_layout_of(rules: Rules) -> StateLayout:
    """Return the layout of a table's states."""
    return _state_layout(rules.players, rules.pica_pica, rules.senas != "off")


def decode_state(state: npt.NDArray[np.int8], rules: Rules) -> dict[str, object]:
    """Turn a state back into named values, like ``observation.decode``.

    Args:
        state: int8 of shape (state layout's size,).
        rules: the rules of the table it comes from.

    Raises:
        ValueError: the state is not of this table.
    """
    layout = state_layout_of(rules)
    layout.check_vector(state, f"a state of {rules.ruleset} with {rules.players} players")
    values = decode(state[: layout_of(rules).size], rules)
    for name, view in layout.views(state).items():
        if name in values:
            continue
        if name in _CARDS:
            names = [decode_card(card, rules.deck) for card in view.reshape(-1, CARD_WIDTH)]
            values[name] = [names[i : i + layout.slots] for i in range(0, len(names), layout.slots)] if name == "hands" else names
        else:
            values[name] = view.tolist()
    return values
