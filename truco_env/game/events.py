"""Events: what happened in a hand, in order, as frozen records read from a game's log.

Who may know of an event is part of it (rules.md 1.14, 6.3): a paso is its seat's alone, the card of a discard too, and a seña is known
to its maker and to those who saw it. ``seen_by`` gives the form in which a seat knows an event.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import ClassVar, Final, TypeAlias

import numpy as np
import numpy.typing as npt

from truco_env.engine.log import unpack_event
from truco_env.engine.record import (
    EV_ANSWER,
    EV_CALL,
    EV_CLAMP,
    EV_DISCARD,
    EV_DUEL,
    EV_FLOR_VALUE,
    EV_FOLD,
    EV_GAME,
    EV_HAND,
    EV_JOC_FORA,
    EV_MATCH,
    EV_NOBODY,
    EV_NUMBER,
    EV_PASO,
    EV_PLAY,
    EV_POINTS,
    EV_SENA,
    EV_TRICK,
    KINDS,
    REASONS,
)
from truco_env.rules.actions import CALL_NAMES, Action
from truco_env.rules.cards import card_name

Plain: TypeAlias = str | int | list[int] | None  #: a value of an event in JSON
SIDES: Final = ("A", "B", "parda")


def account_name(account: int, *, gallo: bool) -> str:
    """Return what a running score is called: ``"A"`` or ``"B"``, in gallo ``"seat 2"``."""
    return f"seat {account}" if gallo else SIDES[account]


@dataclass(frozen=True)
class Event:
    """Base of all events. ``str`` gives one readable line."""

    kind: ClassVar[str] = ""

    @property
    def visible_to(self) -> tuple[int, ...] | None:
        """The seats that know it happened; ``None`` = everybody."""
        return None

    def seen_by(self, seat: int) -> Event | None:
        """Return the event as ``seat`` knows it, ``None`` if it does not know of it."""
        seats = self.visible_to
        return self if seats is None or seat in seats else None

    def to_dict(self) -> dict[str, Plain]:
        """Return its values as data for JSON, with its ``kind``."""
        values = {item.name: getattr(self, item.name) for item in fields(self)}
        return {"kind": self.kind, **{name: list(value) if isinstance(value, tuple) else value for name, value in values.items()}}


@dataclass(frozen=True)
class HandDealt(Event):
    """A hand begins."""

    kind: ClassVar[str] = "hand"
    deal: str  #: normal, redonda or pica
    dealer: int
    mano: int

    def __str__(self) -> str:
        return f"hand ({self.deal}): seat {self.dealer} deals, seat {self.mano} is mano"


@dataclass(frozen=True)
class DuelBegun(Event):
    """A duel of a pica-pica begins."""

    kind: ClassVar[str] = "duel"
    mano: int
    rival: int

    def __str__(self) -> str:
        return f"duel: seat {self.mano}, who is mano, against seat {self.rival}"


@dataclass(frozen=True)
class CardPlayed(Event):
    """A card is put on the table."""

    kind: ClassVar[str] = "play"
    seat: int
    card: str

    def __str__(self) -> str:
        return f"seat {self.seat} plays {self.card}"


@dataclass(frozen=True)
class CardDiscarded(Event):
    """Gallo's dealer puts a card away; ``card`` is ``None`` where it is not known."""

    kind: ClassVar[str] = "discard"
    seat: int
    card: str | None

    def seen_by(self, seat: int) -> CardDiscarded:
        """Return the discard, without its card for other seats."""
        return self if seat == self.seat else replace(self, card=None)

    def __str__(self) -> str:
        return f"seat {self.seat} discards {self.card or 'a card'}"


@dataclass(frozen=True)
class CallMade(Event):
    """A call: truco and above, an envido, a flor."""

    kind: ClassVar[str] = "call"
    seat: int
    call: str

    def __str__(self) -> str:
        return f"seat {self.seat}: {self.call}"


@dataclass(frozen=True)
class AnswerGiven(Event):
    """QUIERO or NO QUIERO."""

    kind: ClassVar[str] = "answer"
    seat: int
    answer: str

    def __str__(self) -> str:
        return f"seat {self.seat}: {self.answer}"


@dataclass(frozen=True)
class SeatLeft(Event):
    """MAZO (the side) or CERRARSE (the seat)."""

    kind: ClassVar[str] = "fold"
    seat: int
    way: str

    def __str__(self) -> str:
        return f"seat {self.seat}: {self.way}"


@dataclass(frozen=True)
class FlorPassed(Event):
    """PASO: asked for a flor, the seat does not sing."""

    kind: ClassVar[str] = "paso"
    seat: int

    @property
    def visible_to(self) -> tuple[int, ...]:
        """Nobody else is told."""
        return (self.seat,)

    def __str__(self) -> str:
        return f"seat {self.seat} is asked for a flor and passes"


@dataclass(frozen=True)
class SenaMade(Event):
    """A seña; ``seers`` is ``None`` where it is not known who saw it."""

    kind: ClassVar[str] = "sena"
    seat: int
    sena: str
    seers: tuple[int, ...] | None

    @property
    def visible_to(self) -> tuple[int, ...] | None:
        """Its maker and those who saw it (not known in a seat's own form of the event)."""
        return None if self.seers is None else tuple(sorted({self.seat, *self.seers}))

    def seen_by(self, seat: int) -> SenaMade | None:
        """Return the seña without its seers: neither the maker nor one of them is told who else saw it."""
        seats = self.visible_to
        return replace(self, seers=None) if seats is None or seat in seats else None

    def __str__(self) -> str:
        seen = "" if self.seers is None else f" (seen by {', '.join(map(str, self.seers))})"
        return f"seat {self.seat} makes {self.sena}{seen}"


@dataclass(frozen=True)
class NumberTold(Event):
    """A seat tells its envido number."""

    kind: ClassVar[str] = "number"
    seat: int
    number: int

    def __str__(self) -> str:
        return f"seat {self.seat} tells {self.number}"


@dataclass(frozen=True)
class FlorTold(Event):
    """The value of a flor becomes public."""

    kind: ClassVar[str] = "flor_value"
    seat: int
    value: int

    def __str__(self) -> str:
        return f"seat {self.seat} has a flor of {self.value}"


@dataclass(frozen=True)
class TrickDecided(Event):
    """A trick is complete; ``winner`` is ``"A"``, ``"B"`` or ``"parda"``."""

    kind: ClassVar[str] = "trick"
    trick: int
    winner: str

    def __str__(self) -> str:
        return f"trick {self.trick}: {'parda' if self.winner == 'parda' else 'to side ' + self.winner}"


@dataclass(frozen=True)
class PointsWon(Event):
    """Points are decided; ``account`` is 0 or 1 for the sides, the seat in gallo."""

    kind: ClassVar[str] = "points"
    account: int
    name: str
    points: int
    reason: str

    def __str__(self) -> str:
        return f"{self.points:+d} for {self.name} ({self.reason})"


@dataclass(frozen=True)
class ScoreClamped(Event):
    """Points beyond the target do not count."""

    kind: ClassVar[str] = "clamp"
    account: int
    name: str
    points: int

    def __str__(self) -> str:
        return f"{self.points:+d} for {self.name} (beyond the target)"


@dataclass(frozen=True)
class LegWon(Event):
    """A leg (toro, cama, partida) is won."""

    kind: ClassVar[str] = "leg"
    account: int
    name: str

    def __str__(self) -> str:
        return f"{self.name} wins the leg"


@dataclass(frozen=True)
class MatchWon(Event):
    """The match is over; more than one winner only where ``gallo_tie=shared``."""

    kind: ClassVar[str] = "match"
    accounts: tuple[int, ...]
    name: str

    def __str__(self) -> str:
        return f"{self.name} {'win' if len(self.accounts) > 1 else 'wins'} the match"


@dataclass(frozen=True)
class NobodyWon(Event):
    """Three pardas that pay nobody (rules.md 1.4)."""

    kind: ClassVar[str] = "nobody"

    def __str__(self) -> str:
        return "three pardas: the truco pays nobody"


@dataclass(frozen=True)
class JocForaWon(Event):
    """An accepted joc fora decides the match (rules.md 3.4)."""

    kind: ClassVar[str] = "joc_fora"
    account: int
    name: str

    def __str__(self) -> str:
        return f"{self.name} wins the joc fora"


def seats_of(mask: int) -> tuple[int, ...]:
    """Return the members of a bit mask, ascending."""
    return tuple(seat for seat in range(mask.bit_length()) if mask >> seat & 1)


def read_event(packed: int, *, gallo: bool) -> Event:
    """Decode one entry of a game's log (``engine.log.record``)."""
    kind, who, extra, value = unpack_event(packed)
    if kind == EV_PLAY:
        return CardPlayed(who, card_name(value))
    if kind in _SPOKEN:
        return _SPOKEN[kind](who, CALL_NAMES[Action(extra)])
    if kind in _ACCOUNTED:
        return _read_accounted(kind, who, extra, value, gallo=gallo)
    if kind == EV_TRICK:
        return TrickDecided(who, SIDES[extra])
    if kind == EV_NUMBER:
        return NumberTold(who, value)
    if kind == EV_FLOR_VALUE:
        return FlorTold(who, value)
    if kind == EV_HAND:
        return HandDealt(KINDS[extra], who, value)
    if kind == EV_PASO:
        return FlorPassed(who)
    if kind == EV_SENA:
        return SenaMade(who, CALL_NAMES[Action(extra)], seats_of(value))
    if kind == EV_DISCARD:
        return CardDiscarded(who, card_name(value))
    if kind == EV_DUEL:
        return DuelBegun(who, extra)
    if kind == EV_NOBODY:
        return NobodyWon()
    raise AssertionError(f"unknown kind of event {kind}")


_SPOKEN: Final[dict[int, type[CallMade] | type[AnswerGiven] | type[SeatLeft]]] = {
    EV_CALL: CallMade,
    EV_ANSWER: AnswerGiven,
    EV_FOLD: SeatLeft,
}
_ACCOUNTED: Final = (EV_POINTS, EV_CLAMP, EV_GAME, EV_MATCH, EV_JOC_FORA)


def _read_accounted(kind: int, who: int, extra: int, value: int, *, gallo: bool) -> Event:
    name = account_name(who, gallo=gallo)
    if kind == EV_POINTS:
        return PointsWon(who, name, value, REASONS[extra])
    if kind == EV_CLAMP:
        return ScoreClamped(who, name, value)
    if kind == EV_GAME:
        return LegWon(who, name)
    if kind == EV_JOC_FORA:
        return JocForaWon(who, name)
    winners = seats_of(extra)
    return MatchWon(winners, " and ".join(account_name(account, gallo=gallo) for account in winners))


def read_events(games: npt.NDArray[np.void], i: int, *, gallo: bool) -> list[Event]:
    """Decode the log of ``games[i]``: the events of its hand, in order."""
    entries: list[int] = games["log"][i, : games["n_log"][i]].tolist()
    return [read_event(packed, gallo=gallo) for packed in entries]
