"""View: everything one seat may know of a game, as plain readable values, and nothing else (rules.md 1.14)."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Final

import numpy as np
import numpy.typing as npt

from truco_env.engine.known import Facts, describe
from truco_env.engine.record import ENVIDO_WAITS, KINDS, NORMAL, PHASES, PICA
from truco_env.engine.rules_record import record_of
from truco_env.game.events import (
    SIDES,
    CallMade,
    CardPlayed,
    DuelBegun,
    Event,
    FlorTold,
    NumberTold,
    SeatLeft,
    SenaMade,
    TrickDecided,
    seats_of,
)
from truco_env.rules.actions import CALL_NAMES, Action, display_word
from truco_env.rules.cards import card_name
from truco_env.rules.options import Rules

Plays = tuple[tuple[int, str], ...]  #: seats and their cards, in the order played

ENVIDO_STATES: Final = ("none", "waits", "accepted", "refused", "wiped")
_TRUCO: Final = int(Action.TRUCO)


@dataclass(frozen=True)
class View:
    """What one seat knows. Seats are absolute, sides are ``"A"`` (even seats; in gallo the pair) and ``"B"``, cards are text."""

    ruleset: str
    players: int
    seat: int
    """Whose view it is."""
    side: str
    hand_number: int
    """1 for the first hand of the match."""
    kind: str
    """normal, redonda or pica."""
    duel: int | None
    """1..3 in a pica-pica."""
    dealer: int
    mano: int
    phase: str
    """A phase of rules.md 1.5, or hand_over. While another seat is asked for a flor, what waits behind the question."""
    to_act: int | None
    """As far as the table sees."""
    legal: tuple[str, ...]
    """The seat's legal moves, sorted; empty when it is not to act."""
    scores: tuple[int, ...]
    target: int
    won: tuple[int, ...]
    """Legs, by account."""
    legs_to_win: int
    dealt: tuple[str, ...]
    """The seat's dealt cards, sorted by rank and suit (gallo's dealer: four, then the three kept)."""
    held: tuple[str, ...]
    """Those not yet played."""
    discarded: str | None
    """The card it discarded (gallo)."""
    envido: int | None
    """Its envido number; ``None`` before gallo's discard."""
    flor: int | None
    """The value of its flor."""
    trick: int
    """1..3."""
    leader: int
    table: tuple[Plays, ...]
    """By trick of this hand or duel: seat and card in the order played."""
    trick_winners: tuple[str, ...]
    """``"A"``, ``"B"`` or ``"parda"`` for each finished trick."""
    played: dict[int, tuple[str, ...]]
    """All cards on the table by seat, also of earlier duels."""
    active: tuple[int, ...]
    """Seats that take part and have not left."""
    left: Plays
    """Seats that left and how, ``mazo`` or ``cerrarse``."""
    calls: Plays
    """All calls of this hand or duel, in order."""
    worth: int
    """What the hand is worth now; 5 is the match (joc fora)."""
    truco_waits: str | None
    """The truco call that waits for an answer, also while an envido or flor is settled first."""
    envido_state: str
    """none, waits, accepted, refused or wiped."""
    envido_points: tuple[int, int] | None
    """Points of the chain if A wins it, if B wins it."""
    envido_refused: int | None
    """Points if the waiting chain is refused."""
    numbers: dict[int, int]
    """Envido numbers told in this deal, by seat."""
    flores: dict[int, int | None]
    """Seats that sang in this deal; the value where it is public."""
    shown: dict[int, tuple[str, ...]]
    """Dealt cards made public, by seat."""
    senas: tuple[tuple[int, int, str], ...]
    """Señas made or seen: trick, maker, name."""
    hand_over: bool
    match_over: bool
    winner: int | tuple[int, ...] | None
    """Account, or accounts, that won the match."""
    events: tuple[Event, ...]
    """All that happened in this deal, as the seat knows it."""

    def to_dict(self) -> dict[str, object]:
        """Return the view as data for JSON: tuples are lists, seats as keys are text, events are objects with a ``kind``."""
        values: dict[str, object] = {item.name: getattr(self, item.name) for item in fields(self) if item.name != "events"}
        values["events"] = [event.to_dict() for event in self.events]
        plain: dict[str, object] = json.loads(json.dumps(values))
        return plain

    def to_json(self, *, indent: int | None = None) -> str:
        """Return ``to_dict`` as JSON text."""
        return json.dumps(self.to_dict(), indent=indent)

    def to_text(self) -> str:
        """Return the view as a few lines of text, for people and for language models."""
        points = ", ".join(f"{name} {score}" for name, score in zip(_account_names(self.players), self.scores, strict=True))
        lines = [
            f"{self.ruleset}, {self.players} players, to {self.target}. Hand {self.hand_number} ({self.kind}). Score: {points}.",
            f"You are seat {self.seat}, side {self.side}. Seat {self.dealer} deals, seat {self.mano} is mano.",
            f"Your cards: {' '.join(self.held) or 'none'} (dealt {' '.join(self.dealt)}).{self._numbers_text()}",
            f"The hand is worth {'the match' if self.worth == 5 else self.worth}."
            + (f" A {self.truco_waits} waits for an answer." if self.truco_waits else ""),
            "What happened:",
            *(f"  {event}" for event in self.events),
        ]
        if self.match_over:
            lines.append("The match is over.")
        elif self.hand_over:
            lines.append("The hand is over.")
        elif self.to_act != self.seat or not self.legal:
            lines.append(f"Phase {self.phase}: " + ("waiting." if self.to_act is None else f"waiting for seat {self.to_act}."))
        else:
            lines.append(f"Phase {self.phase}: you are to act. Legal moves: {', '.join(map(self._explained, self.legal))}.")
        return "\n".join(lines)

    def _explained(self, name: str) -> str:
        """A move with the word that players of the rule set say for it, where that differs."""
        action = _CALLS.get(name)
        word = name if action is None else display_word(action, self.ruleset)
        return name if word == name.replace("_", " ") or name.startswith("sena:") else f"{name} ({word})"

    def _numbers_text(self) -> str:
        envido = "" if self.envido is None else f" Your envido number is {self.envido}."
        return envido if self.flor is None else f"{envido} You hold a flor of {self.flor}."

    def __str__(self) -> str:
        return self.to_text()


_CALLS: Final = {name: action for action, name in CALL_NAMES.items()}


def _account_names(players: int) -> Sequence[str]:
    return [f"seat {seat}" for seat in range(3)] if players == 3 else SIDES[:2]


def _names(cards: list[int]) -> tuple[str, ...]:
    return tuple(card_name(card) for card in cards if card >= 0)


def _tricks(events: tuple[Event, ...]) -> tuple[tuple[Plays, ...], tuple[str, ...]]:
    """The plays of this hand or duel by trick, and the winners of the finished ones."""
    tricks: list[list[tuple[int, str]]] = [[]]
    winners: list[str] = []
    for event in events:
        if isinstance(event, DuelBegun):
            tricks, winners = [[]], []
        elif isinstance(event, CardPlayed):
            tricks[-1].append((event.seat, event.card))
        elif isinstance(event, TrickDecided):
            winners.append(event.winner)
            tricks.append([])
    return tuple(tuple(trick) for trick in tricks if trick), tuple(winners)


def _calls(events: tuple[Event, ...]) -> tuple[Plays, Plays]:
    """The calls of this hand or duel, and who left it."""
    calls: list[tuple[int, str]] = []
    left: list[tuple[int, str]] = []
    for event in events:
        if isinstance(event, DuelBegun):
            calls, left = [], []
        elif isinstance(event, CallMade):
            calls.append((event.seat, event.call))
        elif isinstance(event, SeatLeft):
            left.append((event.seat, event.way))
    return tuple(calls), tuple(left)


def _flores(events: tuple[Event, ...]) -> dict[int, int | None]:
    flores: dict[int, int | None] = {}
    for event in events:
        if isinstance(event, CallMade) and "flor" in event.call:
            flores.setdefault(event.seat, None)
        elif isinstance(event, FlorTold):
            flores[event.seat] = event.value
    return flores


def _senas(events: tuple[Event, ...]) -> tuple[tuple[int, int, str], ...]:
    senas: list[tuple[int, int, str]] = []
    trick = 1
    for event in events:
        if isinstance(event, TrickDecided):
            trick = event.trick + 1
        elif isinstance(event, SenaMade):
            senas.append((trick, event.seat, event.sena))
    return tuple(senas)


def _played(events: tuple[Event, ...]) -> dict[int, tuple[str, ...]]:
    played: dict[int, tuple[str, ...]] = {}
    for event in events:
        if isinstance(event, CardPlayed):
            played[event.seat] = (*played.get(event.seat, ()), event.card)
    return played


def make_view(
    games: npt.NDArray[np.void],
    rules: Rules,
    seat: int,
    events: tuple[Event, ...],
    legal: tuple[str, ...],
    winner: int | tuple[int, ...] | None,
) -> View:
    """Build the view of ``seat``.

    Args:
        games: one record of a dealt hand.
        rules: the rules of the table.
        seat: whose view.
        events: the events of the hand as that seat knows them.
        legal: its legal moves; empty when it is not to act.
        winner: who won the match, if it is over.
    """
    facts = Facts(*describe(games, 0, record_of(rules), seat))
    phase, to_act = facts.decision >> 4, facts.decision & 15
    whole_hand = bool(games["cards"][0, seat, 3] >= 0)
    cards: list[int] = games["cards"][0, seat].tolist()
    held = int(games["held"][0, seat])
    revealed = seats_of(int(games["revealed"][0]))
    discarded = int(games["discarded"][0])
    hand_over, envido_state = bool(games["hand_over"][0]), int(games["envido_state"][0])
    waits = 0 if hand_over else int(games["truco_waits"][0])
    table, trick_winners = _tricks(events)
    calls, left = _calls(events)
    n_accounts = rules.n_accounts
    kind = int(games["kind"][0])
    flor = int(games["flor"][0, seat])
    return View(
        ruleset=rules.ruleset,
        players=rules.players,
        seat=seat,
        side=SIDES[facts.side],
        hand_number=int(games["hand_no"][0]) + 1,
        kind=KINDS[kind] if rules.pica_pica else KINDS[NORMAL],
        duel=int(games["duel"][0]) + 1 if kind == PICA else None,
        dealer=int(games["dealer"][0]),
        mano=int(games["mano"][0]),
        phase=PHASES[phase],
        to_act=to_act - 1 if to_act else None,
        legal=legal,
        scores=tuple(games["scores"][0, :n_accounts].tolist()),
        target=rules.leg_target,
        won=tuple(games["won"][0, :n_accounts].tolist()),
        legs_to_win=rules.legs_to_win,
        dealt=_names(cards),
        held=_names([card for slot, card in enumerate(cards) if held >> slot & 1]),
        discarded=card_name(discarded) if discarded >= 0 and seat == games["dealer"][0] else None,
        envido=None if whole_hand else int(games["envido"][0, seat]),
        flor=flor or None,
        trick=int(games["trick"][0]) + 1,
        leader=int(games["leader"][0]),
        table=table,
        trick_winners=trick_winners,
        played=_played(events),
        active=seats_of(int(games["active"][0])),
        left=left,
        calls=calls,
        worth=facts.worth,
        truco_waits=CALL_NAMES[Action(_TRUCO + waits - 1)] if waits else None,
        envido_state=ENVIDO_STATES[envido_state],
        envido_points=(facts.won_by_a, facts.won_by_b) if envido_state else None,
        envido_refused=facts.refused if envido_state == ENVIDO_WAITS else None,
        numbers={event.seat: event.number for event in events if isinstance(event, NumberTold)},
        flores=_flores(events),
        shown={other: _names(games["cards"][0, other, :3].tolist()) for other in revealed},
        senas=_senas(events),
        hand_over=hand_over,
        match_over=bool(games["match_over"][0]),
        winner=winner,
        events=events,
    )
