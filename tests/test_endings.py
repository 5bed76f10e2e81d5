"""How matches of gallo and pica-pica end: every ending is met in random play near the target, and each is what rules.md says."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import numpy as np
import pytest

from truco_env import Game
from truco_env.game.events import ScoreClamped

TARGET = 30


def play_hand(game: Game, rng: np.random.Generator) -> None:
    while not game.hand_over:
        legal = game.legal_actions
        game.play(legal[int(rng.integers(len(legal)))])


def last_points(game: Game) -> str:
    return next(event.to_dict()["reason"] for event in reversed(game.events) if event.kind == "points")  # type: ignore[return-value]


def gallo_endings(tie: str, count: int) -> Iterator[tuple[Game, tuple[int, ...], int]]:
    """Gallo matches played on from near the target until they are over, with the scores before the last hand, and its dealer."""
    rng = np.random.default_rng(11)
    for seed in range(count):
        game = Game("argentino", players=3, gallo_tie=tie)
        level = int(rng.integers(20, 30))
        scores = [level, level, level] if seed % 2 else [int(s) for s in rng.integers(20, 30, 3)]
        game.deal(seed=seed, scores=scores)
        while True:
            before = game.scores
            play_hand(game, rng)
            if game.match_over:
                break
            game.next_hand()
        yield game, before, game.dealer


@pytest.mark.parametrize("tie", ["mano", "shared", "extra_hand"])
def test_every_ending_of_a_gallo_match(tie: str) -> None:
    seen: Counter[str] = Counter()
    reasons: Counter[str] = Counter()
    for game, before, dealer in gallo_endings(tie, 1500):
        partners = [seat for seat in range(3) if seat != dealer]
        winners = game.winner if isinstance(game.winner, tuple) else (game.winner,)
        best = max(game.scores)
        assert best == TARGET
        assert all(game.scores[seat] == best for seat in winners if seat is not None)
        if len(winners) == 1:
            assert game.won == tuple(int(seat in winners) for seat in range(3))
        reasons[last_points(game)] += 1
        uncut = [
            score + sum(-e.points for e in game.events if isinstance(e, ScoreClamped) and e.account == seat)
            for seat, score in enumerate(game.scores)
        ]
        leaders = tuple(seat for seat in range(3) if uncut[seat] == max(uncut))
        if len(leaders) == 1:
            assert winners == leaders
        at_top = [seat for seat in range(3) if game.scores[seat] == best]
        if winners == (dealer,):
            seen["dealer"] += 1
        elif len(winners) == 2:
            assert (tie, list(winners)) == ("shared", partners)
            seen["both partners"] += 1
        elif at_top == partners and before[partners[0]] == before[partners[1]] and tie == "mano":
            assert winners == (game.mano,)  # mano is a partner: the dealer speaks last
            seen["the partner nearer to mano"] += 1
        elif len(at_top) == 2:
            seen["a partner with more before the score was cut to the target"] += 1
        else:
            seen["a partner alone"] += 1
        if max(before) >= TARGET:
            assert tie == "extra_hand"
            seen["an extra hand"] += 1
    wanted = {"dealer", "a partner alone"}
    wanted |= {"mano": {"the partner nearer to mano"}, "shared": {"both partners"}, "extra_hand": {"an extra hand"}}[tie]
    assert wanted <= set(seen), seen
    assert {"truco_won", "truco_refused", "mazo", "envido_won", "envido_refused", "flor", "flor_won"} <= set(reasons), reasons


def test_every_ending_of_a_pica_pica_match() -> None:
    rng = np.random.default_rng(12)
    seen: Counter[tuple[str, int]] = Counter()
    reasons: Counter[str] = Counter()
    for seed in range(1500):
        game = Game("argentino", players=6, pica_pica=True, pica_band=(5, TARGET))
        game.deal(seed=seed, scores=[int(s) for s in rng.integers(20, 30, 2)], kind=("redonda", "pica")[seed % 2])
        while True:
            play_hand(game, rng)
            if game.match_over:
                break
            was = game.kind
            game.next_hand()
            assert game.kind == ("pica" if was == "redonda" else "redonda")
        winner = game.winner
        assert isinstance(winner, int)
        assert (game.scores[winner], game.won[winner]) == (TARGET, 1)
        assert game.scores[1 - winner] < TARGET
        duels = sum(event.kind == "duel" for event in game.events)
        assert duels <= 3 if game.kind == "pica" else duels == 0
        seen[game.kind, duels] += 1
        reasons[last_points(game)] += 1
    assert {("redonda", 0), ("pica", 1), ("pica", 2), ("pica", 3)} <= set(seen), seen
    assert {"truco_won", "truco_refused", "mazo", "envido_won", "envido_refused", "flor", "flor_won"} <= set(reasons), reasons


def test_after_the_target_is_reached_in_a_duel_no_other_duel_is_played() -> None:
    game = Game("argentino", players=6, pica_pica=True, pica_band=(5, TARGET))
    hands = ["1E 4C 5B", "12C 11B 10O", "4B 5E 6O", "4O 10E 11C", "5O 6B 12E", "6C 11E 12B"]
    game.deal(hands, scores=(29, 20), kind="pica")
    assert game.to_act == 0
    for move in ("1E", "4O", "truco", "no_quiero"):
        game.play(move)
    assert (game.match_over, game.winner, game.scores) == (True, 0, (30, 20))
    assert sum(event.kind == "duel" for event in game.events) == 1
