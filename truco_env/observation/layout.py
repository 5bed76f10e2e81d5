"""The named layout of the observation vector, and how to read a vector back.

An observation is one int8 vector from one seat's view: seats are counted relative to it (0 = me, 1 = the next in play order, ...),
sides are *us* and *them*. Everything the seat may know in this hand is in it, and nothing else. ``encode.py`` writes it.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum, auto
from functools import cache, cached_property
from typing import Final

import numpy as np
import numpy.typing as npt

from truco_env.engine.record import PHASES
from truco_env.rules.cards import DECKS, N_TIERS, TIERS, card_name
from truco_env.rules.options import Rules

CARD_WIDTH: Final = N_TIERS + 4  #: a card is its truco rank 1..14 one-hot, then its suit E B O C one-hot
N_POLLS: Final = 9


class F(IntEnum):
    """The fields, in the order of the vector."""

    @staticmethod
    def _generate_next_value_(name: str, start: int, count: int, last_values: list[int]) -> int:
        return count

    HAND = auto()
    HELD = auto()
    BEATS = auto()
    TIES = auto()
    ENVIDO = auto()
    ENVIDO_AT_LEAST = auto()
    FLOR = auto()
    DISCARDED = auto()
    TABLE = auto()
    BEST = auto()
    TRICK_WON = auto()
    TRICK = auto()
    LEADER = auto()
    MANO = auto()
    TURN = auto()
    FRESH = auto()
    ACTIVE = auto()
    LEFT_AT = auto()
    CLOCK = auto()
    PHASE = auto()
    TO_ACT = auto()
    WORTH = auto()
    TRUCO_ACCEPTED = auto()
    TRUCO_WAITS = auto()
    TRUCO_CALLER = auto()
    TRUCO_CLOCK = auto()
    TRUCO_RIGHT = auto()
    TRUCO_ANNULLED = auto()
    TRUCO_ANSWERER = auto()
    ENVIDO_STATE = auto()
    ENVIDO_CALL = auto()
    ENVIDO_CALLER = auto()
    ENVIDO_CLOCK = auto()
    ENVIDO_OVER_TRUCO = auto()
    ENVIDO_ANSWERER = auto()
    ENVIDO_STAKE = auto()
    ENVIDO_REFUSED = auto()
    TOLD = auto()
    FLOR_ROUND = auto()
    FLOR_RUNG = auto()
    FLOR_SINGER = auto()
    FLOR_CALLER = auto()
    FLOR_CONTRA = auto()
    FLOR_ANSWER = auto()
    FLOR_ANSWERER = auto()
    FLOR_SUNG = auto()
    FLOR_AT = auto()
    FLOR_TOLD = auto()
    MAY_SING = auto()
    PASSED = auto()
    ANNOUNCED = auto()
    SCORE = auto()
    START_SCORE = auto()
    TO_GO = auto()
    WON = auto()
    UNPOSTED = auto()
    SHOWN = auto()
    KIND = auto()
    DUEL = auto()
    SENAS = auto()


#: Raised when an entry changes its meaning but not its place: trained agents know by it, and by names, places and bounds, that they fit.
LAYOUT_VERSION: Final = 1


@dataclass(frozen=True)
class Field:
    """One named field: where it lies in the vector, what it means.

    Attributes:
        name: lower-case name, as in ``decode``.
        start: index of its first entry.
        shape: its shape; ``vector[start:start + size].reshape(shape)``.
        low, high: bounds of every entry.
        scale: a divisor that brings entries to about 0..1, for networks.
        axes: what the axes of ``shape`` count.
        meaning: one sentence.
    """

    name: str
    start: int
    shape: tuple[int, ...]
    low: int
    high: int
    scale: int
    axes: str
    meaning: str

    @property
    def size(self) -> int:
        """Number of entries."""
        return int(np.prod(self.shape))


_Spec = tuple[F, tuple[int, ...], int, int, int, str, str]


def _specs(n: int, slots: int, accounts: int, *, gallo: bool, duels: bool, senas: bool) -> list[_Spec]:
    """The table: field, shape, low, high, scale, axes, meaning. ``n`` = seats."""
    card, seat, off = CARD_WIDTH, "seat", (0,)
    return [
        (F.HAND, (slots, card), 0, 1, 1, "slot, card", "my dealt cards by slot (gallo's dealer: those kept)"),
        (F.HELD, (slots,), 0, 1, 1, "slot", "not played yet"),
        (F.BEATS, (slots,), 0, 1, 1, "slot", "held, and above every card on the table in this trick (1 if there is none)"),
        (F.TIES, (slots,), 0, 1, 1, "slot", "held, and equal to the best card on the table in this trick"),
        (F.ENVIDO, (1,), 0, 37, 33, "", "my envido number, 0-7 or 20-33, with 8s and 9s to 37 (before gallo's discard 0)"),
        (F.ENVIDO_AT_LEAST, (14,), 0, 1, 1, "threshold 20..33", "my envido number reaches the threshold"),
        (F.FLOR, (1,), 0, 38, 38, "", "my flor 20-38, 0 = none"),
        (F.DISCARDED, (card,) if gallo else off, 0, 1, 1, "card", "the card I discarded (gallo)"),
        (F.TABLE, (3, n, card), 0, 1, 1, "trick, seat, card", "cards on the table"),
        (F.BEST, (n,), 0, 1, 1, seat, "has the highest card of this trick so far (several: equal cards)"),
        (F.TRICK_WON, (3, 3), 0, 1, 1, "trick, us / them / parda", "who won each finished trick"),
        (F.TRICK, (3,), 0, 1, 1, "trick", "the trick being played"),
        (F.LEADER, (n,), 0, 1, 1, seat, "led this trick"),
        (F.MANO, (n,), 0, 1, 1, seat, "is mano"),
        (F.TURN, (n,), 0, 1, 1, seat, "was about to play a card; still has to when no call waits"),
        (F.FRESH, (1,), 0, 1, 1, "", "it is my card turn, and I have done nothing yet in it"),
        (F.ACTIVE, (n,), 0, 1, 1, seat, "takes part in this hand or duel and has not left"),
        (F.LEFT_AT, (n,), 0, 127, 60, seat, "clock when the seat left by cerrarse, 0 = it did not"),
        (F.CLOCK, (1,), 0, 127, 60, "", "public actions so far in this hand: cards, calls, answers, folds"),
        (F.PHASE, (7,), 0, 1, 1, ", ".join(PHASES), "phase; while another seat is polled, what the table sees (all 0 in a flor round)"),
        (F.TO_ACT, (n,), 0, 1, 1, seat, "acts now, as far as the table sees"),
        (F.WORTH, (1,), 1, 5, 5, "", "what the hand is worth: 1-4 points, 5 = the match"),
        (F.TRUCO_ACCEPTED, (5,), 0, 1, 1, "none, truco .. joc fora", "highest accepted rung"),
        (F.TRUCO_WAITS, (4,), 0, 1, 1, "truco .. joc fora", "rung that waits for an answer (also while an envido or flor is settled first)"),
        (F.TRUCO_CALLER, (4, n), 0, 1, 1, "rung, seat", "who called each rung"),
        (F.TRUCO_CLOCK, (4,), 0, 127, 60, "rung", "clock at each call"),
        (F.TRUCO_RIGHT, (2,), 0, 1, 1, "us / them", "said quiero last, and may raise"),
        (F.TRUCO_ANNULLED, (n,), 0, 1, 1, seat, "called a truco that an envido struck"),
        (F.TRUCO_ANSWERER, (n,), 0, 1, 1, seat, "must answer the waiting truco"),
        (F.ENVIDO_STATE, (4,), 0, 1, 1, "waits, accepted, refused, wiped", "the envido of this hand"),
        (F.ENVIDO_CALL, (4, 4), 0, 1, 1, "call, envido / real / torne / falta", "the chain in order"),
        (F.ENVIDO_CALLER, (4, n), 0, 1, 1, "call, seat", "who made each call"),
        (F.ENVIDO_CLOCK, (4,), 0, 127, 60, "call", "clock at each call"),
        (F.ENVIDO_OVER_TRUCO, (1,), 0, 1, 1, "", "was opened in answer to a truco"),
        (F.ENVIDO_ANSWERER, (n,), 0, 1, 1, seat, "must answer the waiting envido"),
        (F.ENVIDO_STAKE, (2,), 0, 127, 30, "us / them", "points of the chain if won by us / by them; 0 once it is settled"),
        (F.ENVIDO_REFUSED, (1,), 0, 127, 30, "", "points of the chain if refused now; 0 once it is settled"),
        (F.TOLD, (n,), 0, 38, 34, seat, "envido number told + 1, 0 = silent"),
        (F.FLOR_ROUND, (2,), 0, 1, 1, "open, over", "the flor round"),
        (F.FLOR_RUNG, (3,), 0, 1, 1, "flor, contraflor, al resto", "last call of the flor ladder"),
        (F.FLOR_SINGER, (n,), 0, 1, 1, seat, "sang first"),
        (F.FLOR_CALLER, (n,), 0, 1, 1, seat, "made the last call of the flor ladder"),
        (F.FLOR_CONTRA, (1,), 0, 1, 1, "", "a contraflor was said"),
        (F.FLOR_ANSWER, (2,), 0, 1, 1, "quiero, no quiero", "answer that closed the flor ladder"),
        (F.FLOR_ANSWERER, (n,), 0, 1, 1, seat, "gave that answer"),
        (F.FLOR_SUNG, (n,), 0, 1, 1, seat, "sang, or raised a flor"),
        (F.FLOR_AT, (n,), 0, 127, 60, seat, "clock when the seat sang"),
        (F.FLOR_TOLD, (n,), 0, 38, 38, seat, "flor value made public, 0 = none"),
        (F.MAY_SING, (1,), 0, 1, 1, "", "I hold a flor and have the right to sing it"),
        (F.PASSED, (N_POLLS,), 0, 1, 1, "after truco .. joc fora, envido call 1..4, flor", "I said paso in that poll"),
        (F.ANNOUNCED, (1,), 0, 1, 1, "", "an envido, flor or truco was called by anybody"),
        (F.SCORE, (accounts,), 0, 127, 30, "us, them; gallo: seat", "points of this leg"),
        (F.START_SCORE, (accounts,), 0, 127, 30, "us, them; gallo: seat", "points of this leg when the hand or duel began, from which a falta is counted"),
        (F.TO_GO, (accounts,), 0, 127, 30, "us, them; gallo: seat", "points to the end of the leg"),
        (F.WON, (accounts,), 0, 3, 2, "us, them; gallo: seat", "legs won"),
        (F.UNPOSTED, (2,), -127, 127, 30, "us, them", "points of this hand not posted yet (scoring_time=end_of_hand)"),
        (F.SHOWN, (n, 3), 0, 48, 48, "seat, slot", "dealt cards made public, as card id + 1, 0 = not"),
        (F.KIND, (3,) if duels else off, 0, 1, 1, "normal, redonda, pica", "kind of deal"),
        (F.DUEL, (3,) if duels else off, 0, 1, 1, "first .. third", "the duel of a pica-pica"),
        (F.SENAS, (n, 3, 13) if senas else off, 0, 1, 1, "seat, trick, seña", "señas I made or saw"),
    ]  # fmt: skip


class Layout:
    """The layout of the observations of one kind of table.

    Args:
        players: seats.
        duels: whether pica-pica is played.
        senas: whether señas are made.
    """

    def __init__(self, players: int, *, duels: bool = False, senas: bool = False) -> None:
        self.players = players
        self.slots = 4 if players == 3 else 3
        self.accounts = 3 if players == 3 else 2
        specs = _specs(players, self.slots, self.accounts, gallo=players == 3, duels=duels, senas=senas)
        fields: list[Field] = []
        start = 0
        for key, (member, shape, low, high, scale, axes, meaning) in zip(F, specs, strict=True):
            assert key is member
            fields.append(Field(key.name.lower(), start, shape, low, high, scale, axes, meaning))
            start += fields[-1].size
        self.size = start  #: length of an observation
        self.fields: tuple[Field, ...] = tuple(field for field in fields if field.size)
        #: ``offsets[F.X]`` is where field X starts; its last entry is ``size``.
        self.offsets: npt.NDArray[np.int32] = np.array([*(field.start for field in fields), start], dtype=np.int32)
        self.offsets.setflags(write=False)

    def __getitem__(self, name: str) -> Field:
        """Return a field by its lower-case name."""
        for field in self.fields:
            if field.name == name:
                return field
        raise KeyError(name)

    def _column(self, attribute: str) -> npt.NDArray[np.int8]:
        return np.concatenate([np.full(field.size, getattr(field, attribute), dtype=np.int8) for field in self.fields])

    @cached_property
    def low(self) -> npt.NDArray[np.int8]:
        """Lower bounds, int8 of shape (size,)."""
        return self._column("low")

    @cached_property
    def high(self) -> npt.NDArray[np.int8]:
        """Upper bounds, int8 of shape (size,)."""
        return self._column("high")

    @cached_property
    def scale(self) -> npt.NDArray[np.int8]:
        """Divisors that bring every entry to about 0..1, int8 of shape (size,)."""
        return self._column("scale")

    def check_vector(self, vector: npt.NDArray[np.int8], name: str) -> None:
        """Refuse what is no vector of this layout.

        Raises:
            ValueError: another shape or type, or an entry beyond its bounds; ``name`` is what the error calls it.
        """
        if np.shape(vector) != (self.size,) or np.asarray(vector).dtype != np.int8:
            raise ValueError(f"{name} is int8 of shape ({self.size},), not {np.asarray(vector).dtype} of shape {np.shape(vector)}")
        beyond = np.flatnonzero((vector < self.low) | (vector > self.high))
        if len(beyond):
            i = int(beyond[0])
            field = next(field for field in self.fields if field.start <= i < field.start + field.size)
            raise ValueError(f"entry {i} of {name} is {vector[i]}: {field.name} is from {field.low} to {field.high}")

    def views(self, observations: npt.NDArray[np.int8]) -> dict[str, npt.NDArray[np.int8]]:
        """Return the fields of one observation or of a batch, by name, as arrays of shape ``(..., *field.shape)``."""
        lead = observations.shape[:-1]
        return {field.name: observations[..., field.start : field.start + field.size].reshape(*lead, *field.shape) for field in self.fields}


@cache
def _layout(players: int, duels: bool, senas: bool) -> Layout:
    return Layout(players, duels=duels, senas=senas)


def layout_of(rules: Rules) -> Layout:
    """Return the layout of a table's observations; it depends on players, ``pica_pica`` and whether señas are on."""
    return _layout(rules.players, rules.pica_pica, rules.senas != "off")


def decode_card(entries: npt.NDArray[np.int8], deck: int) -> str | None:
    """Return the card written in ``CARD_WIDTH`` entries of a vector, None for none.

    Raises:
        ValueError: the entries are those of no card of the deck.
    """
    if not entries.any():
        return None
    tiers, suits = np.flatnonzero(entries[:N_TIERS]), np.flatnonzero(entries[N_TIERS:])
    if len(tiers) == len(suits) == 1:
        for card in DECKS[deck].tolist():
            if TIERS[deck, card] == tiers[0] + 1 and card % 4 == suits[0]:
                return card_name(card)
    raise ValueError(f"{entries.tolist()} is no card: one of {N_TIERS} ranks and one of 4 suits are 1, as of a card of the deck")


def decode(observation: npt.NDArray[np.int8], rules: Rules) -> dict[str, object]:
    """Turn one observation back into named values: cards as text, everything else as nested lists of ints.

    Args:
        observation: int8 of shape (size,).
        rules: the rules of the table it comes from.

    Raises:
        ValueError: the vector is no observation of this table.
    """
    layout = layout_of(rules)
    layout.check_vector(observation, f"an observation of {rules.ruleset} with {rules.players} players")
    values: dict[str, object] = {}
    for name, view in layout.views(observation).items():
        if name in ("hand", "table", "discarded"):
            flat = [decode_card(card, rules.deck) for card in view.reshape(-1, CARD_WIDTH)]
            rows = layout.players if name == "table" else len(flat)
            values[name] = [flat[i : i + rows] for i in range(0, len(flat), rows)] if name == "table" else flat
        elif name == "shown":
            values[name] = [[card_name(card - 1) if card else None for card in row] for row in view.tolist()]
        else:
            values[name] = view.tolist()
    return values
