"""Replay: play a saved match again, and check that it goes as it was saved."""

from __future__ import annotations

from truco_env.engine.log import unpack_event, with_value
from truco_env.errors import NotationError, PositionError, TrucoError
from truco_env.game.course import Course, begin_course, follow_course
from truco_env.game.moves import make_move
from truco_env.game.notation import Hand, Match, Move, Result
from truco_env.game.position import AS_RULED
from truco_env.game.table import Table


def replay_match(match: Match) -> Course:
    """Play the hands of ``match`` and return where it then is.

    Raises:
        NotationError: a deal, a move or a result cannot be; the message names the hand and the move.
    """
    course = Course(Table(match.rules))
    course.table.games["seed"] = match.seed
    for hand in match.hands:
        try:
            course = _deal_again(course, hand)
        except TrucoError as error:
            raise NotationError(f"hand {hand.number}: {error}") from error
        for i, move in enumerate(hand.moves, 1):
            try:
                make_move(course.table, move.name, move.seat)
                if move.seers is not None and move.name.startswith("sena:"):
                    _set_seers(course.table, move)
            except TrucoError as error:
                raise NotationError(f"hand {hand.number}, move {i}, {str(move)!r}: {error}") from error
        _check_result(course.table, hand)
    return course


def _deal_again(course: Course, hand: Hand) -> Course:
    if course.start is None:
        course = begin_course(course.table.blank(), hand.position, hand.deal, hand.seed, number=hand.number)
    else:
        course = follow_course(course, AS_RULED if hand.follows else hand.position, hand.deal, hand.seed)
    found = course.hand.position
    if found != hand.position:
        raise NotationError(f"what follows is {found}, not {hand.position}; mark it 'set' if it was set up")
    return course


def _check_result(table: Table, hand: Hand) -> None:
    result = Result(table.scores(), table.won()) if table["hand_over"] else None
    if hand.result is not None and hand.result != result:
        ended = f"ends with {result.scores} and legs {result.won}" if result else "is not over"
        raise NotationError(f"hand {hand.number} {ended}, not with {hand.result.scores} and legs {hand.result.won}")


def _set_seers(table: Table, move: Move) -> None:
    """Who saw the seña just made is part of a saved game, not drawn anew (rules.md 6.3)."""
    games, last = table.games, int(table["n_log"]) - 1
    packed, seen = int(games["log"][0, last]), sum(1 << seat for seat in move.seers or ())
    _, _, _, drawn = unpack_event(packed)
    rivals = int(games["active"][0]) & int(games["side_mask"][0, 1 - (int(games["side_mask"][0, 1]) >> move.seat & 1)])
    if (seen ^ drawn) & ~(rivals if table.rules.sena_catch else 0):
        raise PositionError(f"the seña cannot have been seen by seats {', '.join(map(str, move.seers or ())) or 'none'}")
    games["log"][0, last] = with_value(packed, seen)
    games["sena_seen"][0, games["trick"][0], move.seat] = seen
