"""Game: dealing, moves by name, what it reports, what it refuses, copies."""

from __future__ import annotations

import copy
import json
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from truco_env.errors import ActionError, CardError, IllegalActionError, PositionError, RulesError
from truco_env.game.events import CardDiscarded, FlorPassed, NumberTold, PointsWon, SenaMade
from truco_env.game.game import Game
from truco_env.game.notation import Hand
from truco_env.rules.actions import Action
from truco_env.rules.options import Rules

_TWO = ["7O 6O 4C", "7B 5B 12C"]
_THREE = ["7O 6O 4C", "7B 5B 12C", "1E 2C 6B"]
_SIX = ["7O 6O 12C", "12E 11E 4B", "1C 5B 6E", "10O 11B 10C", "7C 5C 4O", "3E 2E 7B"]


def _two(**options: object) -> Game:
    game = Game("argentino", players=2, flor_mode="off", **options)
    game.deal(_TWO, dealer=1, seed=1)
    return game


def _play(game: Game, moves: str) -> Game:
    for move in moves.split():
        game.play(move)
    return game


# Dealing.


def test_before_a_deal_nothing_can_be_done() -> None:
    game = Game()
    assert (game.to_act, game.phase, game.legal, game.legal_actions, game.hand_over, game.match_over) == (
        None,
        "hand_over",
        [],
        [],
        True,
        False,
    )
    assert (game.winner, game.scores, game.hand_number, game.events) == (None, (0, 0), 0, [])
    with pytest.raises(IllegalActionError, match="nothing has been dealt"):
        game.play("truco")
    ask: Callable[[], object]
    for ask in (game.next_hand, lambda: game.view(0), lambda: game.hand, lambda: game.sample_hidden(0, np.random.default_rng(0))):
        with pytest.raises(PositionError):
            ask()


def test_a_deal_is_fixed_by_its_seed() -> None:
    first, same, other = Game(), Game(), Game()
    first.deal(seed=7)
    same.deal(seed=7)
    other.deal(seed=8)
    assert first == same
    assert first.hand.deal != other.hand.deal
    assert first.seed == 7


def test_a_deal_without_a_seed_is_fresh() -> None:
    game = Game()
    seeds = set()
    for _ in range(4):
        game.deal()
        seeds.add(game.seed)
    assert len(seeds) == 4


def test_cards_may_be_given_as_text_or_as_lists() -> None:
    text, lists = Game(), Game()
    text.deal(_TWO, dealer=1, seed=3)
    lists.deal([hand.split() for hand in _TWO], dealer=1, seed=3)
    assert text == lists
    assert text.legal == ["4C", "6O", "7O", "envido", "falta_envido", "mazo", "real_envido", "truco"]


def test_with_given_cards_the_last_seat_deals_unless_told() -> None:
    game = Game("argentino", players=6)
    game.deal(_SIX)
    assert (game.dealer, game.mano, game.to_act) == (5, 0, 0)


def test_a_drawn_deal_can_start_in_mid_match() -> None:
    game = Game("reglamento", players=4, match="sets")
    game.deal(seed=7, scores=(14, 3), won=(1, 0), dealer=2)
    assert (game.scores, game.won, game.dealer, game.mano) == ((14, 3), (1, 0), 2, 3)
    plain = Game("reglamento", players=4, match="sets")
    plain.deal(seed=7)
    assert game.hand.deal == plain.hand.deal


def test_the_next_hand_moves_the_deal_to_the_right() -> None:
    game = _play(_two(), "mazo")
    game.next_hand(_TWO)
    assert (game.dealer, game.to_act, game.hand_number, game.scores) == (0, 1, 2, (0, 2))


def test_a_leg_that_ended_starts_again_at_nought() -> None:
    game = Game("truc_valencia")
    game.deal(["7O 6O 4C", "7B 5B 3C"], dealer=1, scores=(3, 23))
    _play(game, "mazo")
    assert (game.scores, game.won, game.match_over) == ((3, 24), (0, 1), False)
    game.next_hand()
    assert (game.scores, game.won) == ((0, 0), (0, 1))


def test_the_next_hand_can_be_set_up() -> None:
    game = _play(_two(), "mazo")
    game.next_hand(_TWO, dealer=1, scores=(9, 4), seed=11)
    assert (game.dealer, game.scores, game.seed, game.hand_number) == (1, (9, 4), 11, 2)


def test_a_drawn_hand_that_is_set_up_has_the_cards_of_its_seed_and_number() -> None:
    plain, gallo = Game("argentino", players=3), Game("argentino", players=3)
    for game in (plain, gallo):
        game.deal(seed=5)
        _play(game, "discard:" + game.hand.deal[game.dealer][0])
        while not game.hand_over:
            game.play("mazo" if "mazo" in game.legal else game.legal[0])
    plain.next_hand()
    gallo.next_hand(dealer=plain.dealer)
    assert gallo.hand.deal == plain.hand.deal
    assert [len(hand) for hand in gallo.hand.deal].index(4) == gallo.dealer


def test_gallos_dealer_may_be_given_four_cards_or_three() -> None:
    game = Game("argentino", players=3)
    game.deal([*_THREE[:2], "1E 2C 6B 12O"], dealer=2)
    assert (game.phase, game.to_act, game.legal) == ("discard", 2, ["discard:12O", "discard:1E", "discard:2C", "discard:6B"])
    game.deal(_THREE, dealer=2)
    assert (game.phase, game.to_act) == ("turn", 0)


@pytest.mark.parametrize(("scores", "kind"), [((4, 0), "redonda"), ((5, 0), "pica"), ((24, 24), "pica"), ((25, 7), "redonda")])
def test_a_position_inside_the_band_is_a_pica_pica(scores: tuple[int, int], kind: str) -> None:
    game = Game("argentino", players=6, pica_pica=True)
    game.deal(_SIX, scores=scores)
    assert game.kind == kind


def test_the_kind_of_a_deal_can_be_told() -> None:
    game = Game("argentino", players=6, pica_pica=True)
    game.deal(_SIX, scores=(8, 8), kind="redonda")
    assert game.kind == "redonda"
    game.deal(_SIX, kind="pica")
    assert game.view(0).duel == 1


def test_a_match_of_pica_pica_begins_with_a_redonda() -> None:
    game = Game("argentino", players=6, pica_pica=True, pica_band=(0, 30))
    game.deal(seed=1)
    assert game.kind == "redonda"


# What cannot be dealt.


@pytest.mark.parametrize(
    ("hands", "told"),
    [
        (["7O 6O 4C"], "2 hands"),
        ("7O 6O 4C", "2 hands"),
        (3, "2 hands"),
        ([*_TWO, "1E 2E 3E"], "2 hands"),
        (["7O 6O", "7B 5B 12C"], "seat 0 must have three cards"),
        (["7O 6O 4C 1E", "7B 5B 12C"], "seat 0 must have three cards"),
        ([3, "7B 5B 12C"], "seat 0 must have three cards"),
        (["7O 6O 7O", "7B 5B 12C"], "seat 0 has 7O twice"),
        (["7O 6O 4C", "7B 5B 7O"], "seat 1 has 7O as well as seat 0"),
        (["7O 6O 8C", "7B 5B 12C"], "seat 0 has 8C, which is not in the deck of argentino"),
        (["7O 6O XX", "7B 5B 12C"], "'XX' is not a card"),
        (["7O 6O " + "9" * 5000 + "E", "7B 5B 12C"], r"'9{20}\.\.\.' is not a card"),
        ([["7O", "6O", 4], "7B 5B 12C"], "'4' is not a card"),
    ],
)
def test_a_deal_that_cannot_be_is_refused(hands: Any, told: str) -> None:
    game = _two()
    before = game.copy()
    with pytest.raises(CardError, match=told):
        game.deal(hands)
    assert game == before


def test_the_deck_of_the_rule_set_is_named() -> None:
    game = Game("truc_valencia")
    with pytest.raises(CardError, match=r"12C, which is not in the deck of truc_valencia: 1 of EB, 3, 4, 5, 6, 7$"):
        game.deal(_TWO)


def test_only_gallos_dealer_has_four_cards() -> None:
    game = Game("argentino", players=3)
    with pytest.raises(CardError, match="seat 0 must have three cards"):
        game.deal(["7O 6O 4C 1B", "7B 5B 12C", "1E 2C 6B"], dealer=2)
    with pytest.raises(CardError, match="three cards, or four before the discard"):
        game.deal(["7O 6O 4C", "7B 5B 12C", "1E 2C"], dealer=2)


@pytest.mark.parametrize(
    "position",
    [
        {"dealer": 2},
        {"dealer": -1},
        {"dealer": True},
        {"dealer": "1"},
        {"scores": (30, 0)},
        {"scores": (30, 30)},
        {"scores": (-1, 0)},
        {"scores": (1,)},
        {"scores": (1, 2, 3)},
        {"scores": (1.5, 0)},
        {"scores": "00"},
        {"scores": 5},
        {"won": (1, 0)},
        {"won": (0, -1)},
        {"kind": "pica"},
        {"kind": "redonda"},
        {"kind": "hand"},
        {"seed": -1},
        {"seed": 2**64},
        {"seed": 1.0},
    ],
)
def test_a_position_that_cannot_be_is_refused(position: dict[str, Any]) -> None:
    game = _two()
    before = game.copy()
    with pytest.raises(PositionError, match="is not possible"):
        game.deal(_TWO, **position)
    assert game == before
    _play(game, "mazo")
    before = game.copy()
    with pytest.raises(PositionError):
        game.next_hand(**position)
    assert game == before


def test_scores_beyond_the_target_stand_only_where_another_hand_decides_a_tie() -> None:
    late = Game("argentino", scoring_time="end_of_hand")
    late.deal(_TWO, scores=(31, 31))
    with pytest.raises(PositionError):
        late.deal(_TWO, scores=(31, 30))
    gallo = Game("argentino", players=3, gallo_tie="extra_hand")
    gallo.deal(_THREE, scores=(32, 32, 4))
    assert gallo.scores == (32, 32, 4)


def test_the_next_hand_waits_for_the_end_of_this_one() -> None:
    game = _two()
    with pytest.raises(PositionError, match="the hand is not over: seat 0 is to act"):
        game.next_hand()
    game.deal(_TWO, scores=(0, 29))
    _play(game, "mazo")
    with pytest.raises(PositionError, match="the match is over"):
        game.next_hand()


def test_unknown_options_are_refused_by_name() -> None:
    with pytest.raises(RulesError, match="flor_mod"):
        Game("argentino", flor_mod="off")


# Moves.


def test_a_move_is_a_name_or_an_action() -> None:
    named, numbered = _two(), _two()
    named.play("7O")
    numbered.play(Action.PLAY_2)
    assert numbered == named
    numbered.play(int(Action.TRUCO))
    numbered.play(np.int64(Action.NO_QUIERO))
    assert numbered.hand_over


def test_names_and_actions_of_the_legal_moves_agree() -> None:
    game = Game("argentino", players=3, senas="free")
    game.deal(seed=2)
    while not game.hand_over:
        assert sorted(game.action_name(action) for action in game.legal_actions) == game.legal
        game.play(game.legal_actions[0])


@pytest.mark.parametrize("move", ["", "no", "13C", "7o", "discard:", "discard:7", "sena:ojo", "TRUCO", "0", "seven", "٣E", "²E", "truco "])
def test_a_text_that_is_no_action_is_refused(move: str) -> None:
    game = _two()
    before = game.copy()
    with pytest.raises(ActionError):
        game.play(move)
    assert game == before


@pytest.mark.parametrize("move", [-1, 36, 99, 2**70, True, None, 1.5])
def test_a_number_that_is_no_action_is_refused(move: Any) -> None:
    game = _two()
    with pytest.raises(ActionError, match="give an integer from 0 to 35"):
        game.play(move)


@pytest.mark.parametrize(
    "move", ["1E", "8C", "7B", "quiero", "flor", "discard:7O", "sena:tres", "paso", Action.DISCARD_0, Action.JOC_FORA, 35]
)
def test_an_action_that_is_not_legal_now_is_refused_with_the_legal_ones(move: str | int) -> None:
    game = _two()
    before = game.copy()
    with pytest.raises(IllegalActionError, match=r"of seat 0 is not legal in phase turn: legal moves are 4C, 6O, 7O, envido") as caught:
        game.play(move)
    assert game == before
    if isinstance(move, str):
        assert repr(move) in str(caught.value)


def test_a_move_of_another_seat_is_refused_without_telling_the_cards() -> None:
    game = _two()
    with pytest.raises(IllegalActionError, match="'7B' of seat 1 is not legal: seat 0 is to act") as caught:
        game.play("7B", seat=1)
    assert "7O" not in str(caught.value)
    game.play("7O", seat=0)
    assert game.to_act == 1


def test_after_the_hand_nothing_is_legal() -> None:
    game = _play(_two(), "mazo")
    assert (game.to_act, game.legal, game.phase) == (None, [], "hand_over")
    with pytest.raises(IllegalActionError, match="the hand is over"):
        game.play("7O")


# What came of it.


def test_scores_and_winner_are_by_side() -> None:
    game = _two(target=15)
    game.deal(_TWO, scores=(0, 14))
    _play(game, "mazo")
    assert (game.scores, game.won, game.match_over, game.winner) == ((0, 15), (0, 1), True, 1)


def test_in_gallo_scores_and_winner_are_by_seat() -> None:
    game = Game("argentino", players=3)
    game.deal(_THREE, dealer=2, scores=(29, 29, 5))
    _play(game, "7O 7B mazo")
    assert (game.scores, game.winner) == ((30, 30, 5), 0)
    shared = Game("argentino", players=3, gallo_tie="shared")
    shared.deal(_THREE, dealer=2, scores=(29, 29, 5))
    _play(shared, "7O 7B mazo")
    assert shared.winner == (0, 1)


def test_events_tell_what_happened_in_order() -> None:
    game = _play(_two(), "truco envido quiero quiero 7O")
    assert [str(event) for event in game.events] == [
        "hand (normal): seat 1 deals, seat 0 is mano",
        "seat 0: truco",
        "seat 1: envido",
        "seat 0: quiero",
        "seat 0 tells 33",
        "+2 for A (envido_won)",
        "seat 1: quiero",
        "seat 0 plays 7O",
    ]
    assert game.events[5] == PointsWon(0, "A", 2, "envido_won")
    assert [event.kind for event in game.events[4:6]] == ["number", "points"]


def test_a_paso_is_known_to_its_seat_only() -> None:
    game = Game("reglamento")
    game.deal(["7O 6C 4C", "7B 5B 12B"], dealer=1)
    _play(game, "truco paso")
    paso = game.events[-1]
    assert paso == FlorPassed(1)
    assert paso.visible_to == (1,)
    assert paso in game.events_for(1)
    assert paso not in game.events_for(0)


def test_a_discard_is_public_but_its_card_is_not() -> None:
    game = Game("argentino", players=3)
    game.deal([*_THREE[:2], "1E 2C 6B 12O"], dealer=2)
    game.play("discard:6B")
    assert game.events[-1] == CardDiscarded(2, "6B")
    assert game.events_for(2)[-1] == CardDiscarded(2, "6B")
    assert game.events_for(0)[-1] == CardDiscarded(2, None)
    assert game.view(2).discarded == "6B"
    assert game.view(0).discarded is None


def test_a_sena_is_known_to_its_maker_and_its_seers() -> None:
    game = Game("argentino", players=4, senas="free", sena_catch=0.5)
    seers = set()
    for seed in range(40):
        game.deal(seed=seed, dealer=3)
        if "sena:tres" not in game.legal:
            continue
        game.play("sena:tres")
        event = game.events[-1]
        assert isinstance(event, SenaMade)
        assert event.seers is not None
        seers.add(event.seers)
        assert event.visible_to == (0, *event.seers)
        for seat in range(4):
            known = [seen for seen in game.events_for(seat) if isinstance(seen, SenaMade)]
            assert known == ([SenaMade(0, "sena:tres", None)] if seat in event.visible_to else [])
            assert game.view(seat).senas == (((1, 0, "sena:tres"),) if known else ())
    assert seers == {(2,), (1, 2), (2, 3), (1, 2, 3)}


# Views.


def test_a_view_has_the_seats_cards_and_what_is_public() -> None:
    game = _play(_two(), "truco envido quiero quiero 7O")
    view = game.view(1)
    assert (view.held, view.dealt, view.envido, view.flor) == (("5B", "7B", "12C"), ("5B", "7B", "12C"), 32, None)
    assert (view.numbers, view.worth, view.truco_waits, view.envido_state) == ({0: 33}, 2, None, "accepted")
    assert (view.table, view.trick, view.played) == (((((0, "7O"),)),), 1, {0: ("7O",)})
    assert view.calls == ((0, "truco"), (1, "envido"))
    assert (view.phase, view.to_act, view.legal) == ("turn", 1, ("12C", "5B", "7B", "mazo", "retruco"))
    assert game.view(0).legal == ()
    assert game.view(0).held == ("4C", "6O")


def test_a_losing_number_is_in_no_view() -> None:
    game = _play(_two(), "envido quiero")
    assert game.view(0).numbers == {0: 33}
    assert "32" not in game.view(0).to_json()
    assert not any(isinstance(event, NumberTold) and event.seat == 1 for event in game.events)


def test_a_view_prices_what_waits() -> None:
    game = _play(_two(), "truco real_envido")
    view = game.view(0)
    assert (view.truco_waits, view.envido_state, view.envido_points, view.envido_refused, view.worth) == ("truco", "waits", (3, 3), 1, 1)


def test_after_the_hand_nothing_waits() -> None:
    view = _play(_two(), "truco no_quiero").view(0)
    assert (view.truco_waits, view.hand_over, view.phase, view.to_act) == (None, True, "hand_over", None)


def test_who_is_asked_for_a_flor_is_hidden_from_the_others() -> None:
    hands = ["7O 6C 4C", "7B 5B 12B", "1E 2C 6B", "10C 12O 3C"]
    asked, free = Game("reglamento", players=4), Game("reglamento", players=4)
    asked.deal(hands, dealer=3, seed=1)
    free.deal([hands[0], "7B 5B 12E", *hands[2:]], dealer=3, seed=1)
    for game in (asked, free):
        game.play("truco")
    assert (asked.phase, asked.to_act) == ("flor_poll", 1)
    assert (free.phase, free.to_act) == ("truco_answer", 3)
    assert asked.view(0) == free.view(0)
    assert asked.view(1).phase == "flor_poll"


def test_cards_shown_at_the_end_of_a_hand_are_in_every_view() -> None:
    game = _play(_two(), "envido quiero mazo")
    assert game.view(1).shown == {0: ("4C", "6O", "7O")}


def test_a_view_is_data_for_json() -> None:
    game = Game("argentino", players=6, pica_pica=True)
    game.deal(_SIX, scores=(8, 6))
    _play(game, "envido quiero")
    data = json.loads(game.view(0).to_json())
    assert data == game.view(0).to_dict()
    assert data["legal"] == list(game.legal)
    assert data["events"][0] == {"kind": "hand", "deal": "pica", "dealer": 5, "mano": 0}
    assert data["duel"] == 1


def test_a_text_for_a_seat_has_its_cards_and_moves() -> None:
    text = _two().observe_text(0)
    assert "Your cards: 4C 6O 7O" in text
    assert "you are to act. Legal moves: 4C, 6O, 7O, envido" in text
    assert "7B" not in text
    assert "waiting for seat 0" in _two().observe_text(1)


@pytest.mark.parametrize("seat", [-1, 2, True, "0", None])
def test_there_is_no_view_of_a_seat_that_is_not_there(seat: Any) -> None:
    game = _two()
    for ask in (game.view, game.events_for, lambda seat: game.sample_hidden(seat, np.random.default_rng(0))):
        with pytest.raises(PositionError, match="seat="):
            ask(seat)


# Copies.


@pytest.mark.parametrize("twin", [Game.copy, copy.copy, copy.deepcopy, lambda game: pickle.loads(pickle.dumps(game))])
@pytest.mark.parametrize("moves", ["", "truco envido", "mazo"])
def test_a_copy_is_equal_and_independent(twin: Callable[[Game], Game], moves: str) -> None:
    game = _play(_two(), "mazo")
    game.next_hand(_TWO)
    _play(game, moves)
    other = twin(game)
    assert other == game
    assert other.history == game.history
    before = game.notation()
    if other.hand_over:
        other.next_hand()
    else:
        other.play(other.legal[0])
    assert other != game
    assert game.notation() == before


def test_a_pickle_of_another_engine_is_replayed() -> None:
    game = _play(_two(), "truco envido quiero")
    state = {**game.__getstate__(), "engine": "another", "record": b""}
    other = Game.__new__(Game)
    other.__setstate__(state)
    assert other == game


def test_games_differ_by_rules_record_and_history() -> None:
    assert _two() != "game"
    assert Game() == Game()
    assert Game() != Game("reglamento")
    one, two = Game(), Game()
    one.deal(_TWO, seed=1)
    two.deal(_TWO, seed=1, scores=(0, 1))
    assert one != two


def test_a_game_can_be_made_of_rules() -> None:
    rules = Rules("argentino", 4, target=15)
    assert Game(rules).rules is rules
    with pytest.raises(TypeError):
        Game(rules, target=30)


def test_history_keeps_every_hand() -> None:
    game = _play(_two(), "mazo")
    game.next_hand(_TWO)
    _play(game, "truco")
    (first,) = game.history
    assert isinstance(first, Hand)
    assert (first.number, [str(move) for move in first.moves], first.result) == (1, ["0 mazo"], ((0, 2), (0, 0)))
    assert (game.hand.number, game.hand.position.scores, game.hand.result) == (2, (0, 2), None)


def test_numbers_too_long_to_print_are_refused_in_one_line() -> None:
    game = Game()
    for position in ({"scores": (10**5000, 0)}, {"won": (0, 10**5000)}, {"dealer": 10**5000}, {"seed": 10**5000}):
        with pytest.raises(PositionError, match="is not possible"):
            game.deal(**position)
    with pytest.raises(CardError):
        game.deal([10**5000, "7B 5B 12C"])  # type: ignore[list-item]


def test_scores_may_be_any_sequence() -> None:
    one, two = Game(), Game()
    one.deal(_TWO, seed=1, scores=np.array([3, 4]), won=np.zeros(2, dtype=np.int8))  # type: ignore[arg-type]
    two.deal(_TWO, seed=1, scores=(3, 4))
    assert one == two
