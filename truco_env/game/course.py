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
from truco_env.rules.options import Rules


class Start(NamedTuple):
    """What the record of a hand no longer tells: the position before it, and whether that follows from the hand before."""

    position: Position
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


def begin_course(rules: Rules, position: Position, hands: Hands | None, seed: int | None, *, number: int = 1) -> Course:
    """Begin a match and deal its first hand; the arguments are those of ``Table.begin``, without a ``seed`` it is drawn.

    Raises:
        CardError: a deal that cannot be.
        PositionError: a position or a seed that cannot be.
    """
    table = Table(rules)
    table.begin(check_seed(seed), position.of_first_hand(rules, dealt=hands is not None), hands, number=number)
    return Course(table, Start(position_of(table), follows=True))


def follow_course(course: Course, position: Position, hands: Hands | None, seed: int | None) -> Course:
    """Deal the hand after a finished one; the arguments are those of ``Table.deal_on``, a ``seed`` is for the deals from here on.

    Raises:
        CardError: a deal that cannot be.
        PositionError: a position or a seed that cannot be, or the hand is not over, or the match is.
    """
    before, start, finished = course
    if start is None:
        raise PositionError("there is no hand to follow: begin a match with deal()")
    if not before["hand_over"]:
        raise PositionError(f"the hand is not over: seat {before['to_act']} is to act")
    if before["match_over"]:
        raise PositionError("the match is over: begin another with deal()")
    table = before.copy()
    if seed is not None:
        table.games["seed"] = check_seed(seed)
    table.deal_on(position, hands)
    return Course(table, Start(position_of(table), follows=position == Position()), (*finished, (before.raw.tobytes(), start)))


def position_of(table: Table) -> Position:
    """Return dealer, scores, legs and kind as they are now; before the first move they are what the hand began with."""
    return Position(table["dealer"], table.scores(), table.won(), KINDS[table["kind"]])


def _read_hand(table: Table, start: Start) -> Hand:
    deal, discarded = table.hands(), table["discarded"]
    if discarded >= 0:
        dealer = table["dealer"]
        deal[dealer] = sorted([*deal[dealer], card_name(discarded)], key=parse_card)
    moves = (move_of(event) for event in read_events(table.games, 0, gallo=table.rules.gallo))
    return Hand(
        number=table["hand_no"] + 1,
        position=start.position,
        deal=tuple(map(tuple, deal)),
        moves=tuple(move for move in moves if move is not None),
        result=Result(table.scores(), table.won()) if table["hand_over"] else None,
        follows=start.follows,
        seed=table["seed"],
    )
