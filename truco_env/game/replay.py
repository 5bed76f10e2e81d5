"""Replay: play a saved match again in a game, and check that it goes as it was saved."""

from __future__ import annotations

from typing import TYPE_CHECKING

from truco_env.errors import NotationError, PositionError, TrucoError
from truco_env.game.notation import Hand, Match, Move, Result

if TYPE_CHECKING:
    from truco_env.game.game import Game


def replay_match(game: Game, match: Match) -> None:
    """Play the hands of ``match`` in ``game``, which has its rules.

    Raises:
        NotationError: a deal, a move or a result cannot be; the message names the hand and the move.
    """
    for k, hand in enumerate(match.hands):
        try:
            _deal_again(game, hand, first=k == 0)
        except TrucoError as error:
            raise NotationError(f"hand {hand.number}: {error}") from error
        for i, move in enumerate(hand.moves, 1):
            try:
                game.play(move.name, seat=move.seat)
                if move.seers is not None and move.name.startswith("sena:"):
                    _set_seers(game, move)
            except TrucoError as error:
                raise NotationError(f"hand {hand.number}, move {i}, {str(move)!r}: {error}") from error
        _check_result(game, hand)


def _deal_again(game: Game, hand: Hand, *, first: bool) -> None:
    if first:
        game._begin(hand.deal, hand.seed, dealer=hand.dealer, scores=hand.scores, won=hand.won, kind=hand.kind, number=hand.number)
    elif hand.follows:
        game.next_hand(hand.deal, seed=hand.seed)
    else:
        game.next_hand(hand.deal, seed=hand.seed, dealer=hand.dealer, scores=hand.scores, won=hand.won, kind=hand.kind)
    told = (hand.kind, hand.dealer, hand.scores, hand.won)
    found = (game.kind, game.dealer, game.scores, game.won)
    if found != told:
        raise NotationError(f"what follows is kind, dealer, scores, legs {found}, not {told}; mark it 'set' if it was set up")


def _check_result(game: Game, hand: Hand) -> None:
    result = Result(game.scores, game.won) if game.hand_over else None
    if hand.result is not None and hand.result != result:
        ended = f"ends with {result.scores} and legs {result.won}" if result else "is not over"
        raise NotationError(f"hand {hand.number} {ended}, not with {hand.result.scores} and legs {hand.result.won}")


def _set_seers(game: Game, move: Move) -> None:
    """Who saw the seña just made is part of a saved game, not drawn anew (rules.md 6.3)."""
    games, last = game._games, int(game._games["n_log"][0]) - 1
    packed, seen = int(games["log"][0, last]), sum(1 << seat for seat in move.seers or ())
    drawn = (packed & 4095) - 1024
    rivals = int(games["active"][0]) & int(games["side_mask"][0, 1 - (int(games["side_mask"][0, 1]) >> move.seat & 1)])
    if (seen ^ drawn) & ~(rivals if game.rules.sena_catch else 0):
        raise PositionError(f"the seña cannot have been seen by seats {', '.join(map(str, move.seers or ())) or 'none'}")
    games["log"][0, last] = packed - drawn + seen
    games["sena_seen"][0, games["trick"][0], move.seat] = seen
