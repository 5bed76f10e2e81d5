"""Course: a match as it goes: the table of the current hand, how that began, and the finished hands before it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from truco_env.engine.record import KINDS
from truco_env.errors import PositionError
from truco_env.game.events import read_events
from truco_env.game.notation import Hand, Match, Result, move_of
from truco_env.game.position import Hands, Position, check_seed
from truco_env.game.table import Table
from truco_env.rules.cards import card_name, parse_card


class Start(NamedTuple):
    """What the record of a hand no longer tells: scores and legs before it, and whether it follows from the hand before."""

    scores: tuple[int, ...]
    won: tuple[int, ...]
    follows: bool


class Course(NamedTuple):
    """A match as it goes. Only ``table`` changes while a hand is played; the next hand is a new course."""

    table: Table
    start: Start | None = None
    """Of the current hand; None before the first deal."""
    finished: tuple[tuple[bytes, Start], ...] = ()
    """The records of the hands before."""

    @property
    def hand(self) -> Hand:
        """The current hand as a value.

        Raises:
            PositionError: nothing has been dealt.
        """
        if self.start is None:
            raise PositionError("nothing has been dealt")
        return _read_hand(self.table, self.start)

    @property
    def history(self) -> tuple[Hand, ...]:
        """The finished hands before the current one."""
        return tuple(_read_hand(self.table.beside(np.frombuffer(record, dtype=np.uint8)), start) for record, start in self.finished)

    def match(self) -> Match:
        """Return the match so far as a value: rules, seed, hands."""
        hands = () if self.start is None else (*self.history, self.hand)
        return Match(self.table.rules, hands[0].seed if hands else self.table["seed"], hands)


def begin_course(table: Table, position: Position, hands: Hands | None, seed: int | None, *, number: int = 1) -> Course:
    """Begin a match at a blank table and deal its first hand; the arguments are those of ``Table.begin``, without a ``seed`` it is drawn.

    Raises:
        CardError: a deal that cannot be.
        PositionError: a position or a seed that cannot be.
    """
    table.begin(check_seed(seed), position.of_first_hand(table.rules, dealt=hands is not None), hands, number=number)
    return Course(table, Start(table.scores(), table.won(), True))


def follow_course(course: Course, position: Position, hands: Hands | None, seed: int | None) -> Course:
    """Deal the hand after a finished one; the arguments are those of ``Table.deal_on``, a ``seed`` is for the deals from here on.

    Raises:
        CardError: a deal that cannot be.
        PositionError: a position or a seed that cannot be, or the hand is not over, or the match is.
    """
    before, start, finished = course
    if start is None:
        raise PositionError("there is no hand to follow: begin a match with deal()")
    if not before.games["hand_over"][0]:
        raise PositionError(f"the hand is not over: seat {before['to_act']} is to act")
    if before.games["match_over"][0]:
        raise PositionError("the match is over: begin another with deal()")
    table = before.copy()
    if seed is not None:
        table.games["seed"] = check_seed(seed)
    table.deal_on(position, hands)
    return Course(table, Start(table.scores(), table.won(), position.as_ruled), (*finished, (before.raw.tobytes(), start)))


def _read_hand(table: Table, start: Start) -> Hand:
    deal, discarded = table.hands(), table["discarded"]
    if discarded >= 0:
        dealer = table["dealer"]
        deal[dealer] = sorted([*deal[dealer], card_name(discarded)], key=parse_card)
    moves = (move_of(event) for event in read_events(table.games, 0, gallo=table.rules.gallo))
    return Hand(
        number=table["hand_no"] + 1,
        position=Position(table["dealer"], start.scores, start.won, KINDS[table["kind"]]),
        deal=tuple(map(tuple, deal)),
        moves=tuple(move for move in moves if move is not None),
        result=Result(table.scores(), table.won()) if table["hand_over"] else None,
        follows=start.follows,
        seed=table["seed"],
    )
