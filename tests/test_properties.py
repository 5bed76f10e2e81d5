"""What holds in every game under every rule: random tables, random deals, random play."""

from __future__ import annotations

import random
import re
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from truco_env.errors import TrucoError
from truco_env.game.events import PointsWon, ScoreClamped
from truco_env.game.game import Game
from truco_env.rules.actions import Action
from truco_env.rules.options import ABSENT, OPTIONS, RULESETS, Rules

_MORE: dict[str, list[Any]] = {"falta": [7], "pica_falta": [9], "pica_band": [(0, 30)], "sena_catch": [0.5]}
_CARD = re.compile(r"\b(?:1[0-2]|[1-9])[EBOC]\b")


@st.composite
def tables(draw: st.DrawFn) -> Rules:
    """The rules of any table."""
    ruleset = draw(st.sampled_from(RULESETS))
    options: dict[str, Any] = {}
    for name, option in OPTIONS.items():
        if option.default(ruleset) is not ABSENT and draw(st.integers(0, 2)) == 0:
            values = [*option.values, *_MORE.get(name, [])]
            options[name] = draw(st.sampled_from(values))
    sizes = {"reglamento": [2, 4, 6], "truc_valencia": [2, 4, 6], "trucomano": [2], "argentino": [2, 3, 4, 6]}[ruleset]
    sizes += [8] if options.get("allow_8") or options.get("deck30") else []
    players = draw(st.sampled_from(sizes))
    if players != 6:
        options.pop("pica_pica", None)
    if players == 3 and options.get("falta") in ("match_if_malas", "winner", "loser"):
        del options["falta"]
    return Rules(ruleset, players, **options)


SEEDS = st.integers(0, 2**64 - 1)
every_table = settings(deadline=None, max_examples=120)


def _choose(game: Game, rnd: random.Random) -> str:
    """A random move, seldom one that leaves."""
    legal = [name for name in game.legal if name not in ("mazo", "cerrarse") or rnd.random() < 0.15]
    return rnd.choice(legal or game.legal)


def _finish_hand(game: Game, rnd: random.Random) -> None:
    while not game.hand_over:
        game.play(_choose(game, rnd))


def _after(rules: Rules, seed: int, moves: int) -> Game:
    """A game after some random moves."""
    game, rnd = Game(rules), random.Random(seed)
    game.deal(seed=seed)
    for _ in range(moves):
        if game.hand_over:
            if game.match_over:
                break
            game.next_hand()
        else:
            game.play(_choose(game, rnd))
    return game


@every_table
@given(rules=tables(), seed=SEEDS)
def test_an_unfinished_hand_has_one_seat_to_act_and_ends(rules: Rules, seed: int) -> None:
    game, rnd = Game(rules), random.Random(seed)
    game.deal(seed=seed)
    for _ in range(6):
        for _ in range(300):
            if game.hand_over:
                break
            assert game.to_act in range(rules.players)
            assert game.phase != "hand_over"
            assert game.legal
            assert len(game.legal) == len(set(game.legal)) == len(game.legal_actions)
            game.play(rnd.choice(game.legal))
        assert game.hand_over
        assert (game.to_act, game.legal, game.phase) == (None, [], "hand_over")
        if game.match_over:
            break
        game.next_hand()


@every_table
@given(rules=tables(), seed=SEEDS)
def test_scores_are_the_points_of_the_events(rules: Rules, seed: int) -> None:
    game, rnd = Game(rules), random.Random(seed)
    game.deal(seed=seed)
    for _ in range(8):
        before = list(game.scores)
        _finish_hand(game, rnd)
        for event in game.events:
            if isinstance(event, PointsWon | ScoreClamped):
                before[event.account] += event.points
        assert list(game.scores) == before
        assert all(0 <= legs <= rules.legs_to_win for legs in game.won)
        if game.match_over:
            winners = game.winner if isinstance(game.winner, tuple) else (game.winner,)
            assert winners != (None,)
            break
        assert game.winner is None
        game.next_hand()


@every_table
@given(rules=tables(), seed=SEEDS, moves=st.integers(0, 60))
def test_every_legal_move_can_be_made_and_no_other(rules: Rules, seed: int, moves: int) -> None:
    game = _after(rules, seed, moves)
    legal = set(game.legal_actions)
    before = game.copy()
    for action in Action:
        twin = game.copy()
        if action in legal:
            twin.play(action)
            assert twin != game
        else:
            with pytest.raises(TrucoError):
                twin.play(action)
            assert twin == game
    assert game == before


@every_table
@given(rules=tables(), seed=SEEDS, moves=st.integers(0, 60), data=st.data())
def test_a_refusal_leaves_the_game_as_it_was(rules: Rules, seed: int, moves: int, data: st.DataObject) -> None:
    game = _after(rules, seed, moves)
    before = game.copy()
    names = st.one_of(st.text(max_size=12), st.sampled_from(["7O", "4C", "discard:1E", "quiero", "truco", "flor", "sena:rey", "joc_fora"]))
    move = data.draw(names.filter(lambda name: name not in game.legal))
    with pytest.raises(TrucoError):
        game.play(move)
    for name in game.legal:
        with pytest.raises(TrucoError):
            game.play(name, seat=((game.to_act or 0) + 1) % rules.players)
    for position in ({"dealer": rules.players}, {"scores": [99, *[0] * (rules.n_accounts - 1)]}, {"kind": "none"}, {"seed": -1}):
        with pytest.raises(TrucoError):
            game.deal(**position)
    assert game == before


@every_table
@given(rules=tables(), seed=SEEDS, moves=st.integers(0, 40))
def test_a_copy_goes_its_own_way(rules: Rules, seed: int, moves: int) -> None:
    game = _after(rules, seed, moves)
    before, twin = game.notation(), game.copy()
    rnd = random.Random(seed + 1)
    _finish_hand(twin, rnd)
    assert game.notation() == before
    _finish_hand(game, random.Random(seed + 1))
    assert game == twin


@every_table
@given(rules=tables(), seed=SEEDS)
def test_a_deal_does_not_depend_on_the_play_before_it(rules: Rules, seed: int) -> None:
    played: list[list[object]] = []
    for style in (1, 2):
        game, rnd = Game(rules), random.Random(style)
        game.deal(seed=seed)
        deals: list[object] = []
        for _ in range(5):
            # a pica-pica changes who deals, and in gallo the dealer has a fourth card
            deals.append((game.hand.deal, game.dealer if not rules.pica_pica else None))
            _finish_hand(game, rnd)
            if game.match_over:
                break
            game.next_hand()
        played.append(deals)
    common = min(map(len, played))
    assert played[0][:common] == played[1][:common]


@every_table
@given(rules=tables(), seed=SEEDS, turn=st.integers(1, 7))
def test_a_turned_table_plays_the_same_game(rules: Rules, seed: int, turn: int) -> None:
    """Seat s of one game is seat s + turn of the other; an odd turn swaps the sides."""
    n, accounts = rules.players, rules.n_accounts
    here, there, rnd = Game(rules), Game(rules), random.Random(seed)
    here.deal(seed=seed)
    scores = [rnd.randrange(rules.leg_target) for _ in range(accounts)]
    deal = here.hand.deal
    kind = "pica" if rules.pica_pica and rnd.random() < 0.7 else None
    here.deal(deal, seed=seed, dealer=here.dealer, scores=scores, kind=kind)
    turned = [deal[(seat - turn) % n] for seat in range(n)]
    there.deal(
        turned, seed=seed, dealer=(here.dealer + turn) % n, scores=[scores[(a - turn) % accounts] for a in range(accounts)], kind=kind
    )
    while not here.hand_over:
        assert here.to_act is not None
        assert there.to_act == (here.to_act + turn) % n
        assert (there.phase, there.legal) == (here.phase, here.legal)
        move = _choose(here, rnd)
        here.play(move)
        there.play(move)
        assert list(there.scores) == [here.scores[(a - turn) % accounts] for a in range(accounts)]
    assert there.hand_over
    assert there.match_over == here.match_over
    assert list(there.won) == [here.won[(a - turn) % accounts] for a in range(accounts)]


@every_table
@given(rules=tables(), seed=SEEDS, moves=st.integers(0, 60))
def test_a_view_names_no_card_that_its_seat_cannot_see(rules: Rules, seed: int, moves: int) -> None:
    game = _after(rules, seed, moves)
    deal = game.hand.deal
    for seat in range(rules.players):
        view = game.view(seat)
        seen = {
            *deal[seat],
            *(card for cards in view.played.values() for card in cards),
            *(card for cards in view.shown.values() for card in cards),
        }
        for text in (view.to_json(), view.to_text()):
            assert set(_CARD.findall(text)) <= seen
        assert set(view.held) <= set(deal[seat])
        assert (view.legal != ()) == (seat == game.to_act)
