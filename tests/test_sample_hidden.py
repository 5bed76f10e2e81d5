"""sample_hidden: drawn deals agree with all that a seat knows, are equally likely, and tell nothing else."""

from __future__ import annotations

import itertools
import random
from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from truco_env.errors import TrucoError
from truco_env.game import sampling
from truco_env.game.events import CardDiscarded, Event, FlorPassed, SenaMade
from truco_env.game.game import Game
from truco_env.game.notation import move_of
from truco_env.rules.cards import DECKS, card_name
from truco_env.rules.options import ABSENT, OPTIONS, RULESETS, Rules

_TABLES = [
    Rules("argentino", 2),
    Rules("argentino", 2, flor_mode="optional", flor_poll="uniform"),
    Rules("argentino", 3, gallo_tie="extra_hand"),
    Rules("argentino", 4, senas="truthful", sena_catch=0.5),
    Rules("argentino", 6, senas="free", sena_catch=0.3, flor_mode="optional"),
    Rules("argentino", 6, pica_pica=True, pica_band=(0, 30)),
    Rules("argentino", 4, flor_table="clarin", scoring_time="end_of_hand", reveal_envido="all"),
    Rules("reglamento", 2),
    Rules("reglamento", 4, contraflor=True),
    Rules("reglamento", 8, allow_8=True, flor_mode="forced"),
    Rules("trucomano", 2),
    Rules("truc_valencia", 2),
    Rules("truc_valencia", 4, senas="truthful", sena_catch=1.0),
    Rules("truc_valencia", 8, deck30=True),
]


def _names(rules: Rules) -> str:
    return f"{rules.ruleset}-{rules.players}-" + "-".join(f"{value}" for value in rules.options.values())


def _random_rules(rnd: random.Random) -> Rules:
    while True:
        ruleset = rnd.choice(RULESETS)
        options: dict[str, Any] = {
            name: rnd.choice(option.values)
            for name, option in OPTIONS.items()
            if option.default(ruleset) is not ABSENT and rnd.random() < 0.35 and name not in ("pica_band", "sena_catch")
        }
        try:
            return Rules(ruleset, rnd.choice([2, 3, 4, 6, 8]), **options)
        except TrucoError:
            continue


def _walk(rules: Rules, seed: int, visit: Callable[[Game, random.Random], None], *, hands: int = 2) -> None:
    """Play random hands and call ``visit`` at every position."""
    rnd = random.Random(seed)
    game = Game(rules)
    game.deal(seed=seed)
    for _ in range(hands):
        visit(game, rnd)
        while not game.hand_over:
            legal = [name for name in game.legal if name not in ("mazo", "cerrarse") or rnd.random() < 0.1]
            game.play(rnd.choice(legal or game.legal))
            visit(game, rnd)
        if game.match_over:
            return
        game.next_hand()


def _visit(rng: np.random.Generator, *, share: float) -> Callable[[Game, random.Random], None]:
    def visit(game: Game, rnd: random.Random) -> None:
        if rnd.random() < share:
            seat = rnd.randrange(game.rules.players) if game.to_act is None or rnd.random() < 0.5 else game.to_act
            twin = game.sample_hidden(seat, rng)
            assert twin.view(seat) == game.view(seat)
            assert (twin.seed, twin.history) != (game.seed, game.history)
            again = Game.from_notation(twin.notation())
            assert again == twin

    return visit


@pytest.mark.parametrize("rules", _TABLES, ids=_names)
def test_a_seat_cannot_tell_the_twin_from_the_game(rules: Rules) -> None:
    rng = np.random.default_rng(1)
    for seed in range(12):
        _walk(rules, seed, _visit(rng, share=0.4))


def test_a_seat_cannot_tell_the_twin_from_the_game_under_any_options() -> None:
    rng, rnd = np.random.default_rng(2), random.Random(2)
    for seed in range(80):
        _walk(_random_rules(rnd), seed, _visit(rng, share=0.15), hands=1)


def _drawn(game: Game, seat: int, count: int, rng: np.random.Generator) -> Counter[tuple[object, ...]]:
    """Draw ``count`` twins; what is counted is the whole deal and the hidden discard."""
    counter: Counter[tuple[object, ...]] = Counter()
    for _ in range(count):
        twin = game.sample_hidden(seat, rng)
        discards = tuple(event.card for event in twin.events if isinstance(event, CardDiscarded))
        counter[(*(frozenset(hand) for hand in twin.hand.deal), *discards)] += 1
    return counter


def _consistent(game: Game, seat: int) -> set[tuple[object, ...]]:
    """All deals that agree with what ``seat`` knows, found without the sampler: try every deal by playing its moves again."""
    true_deal, seen = game.hand.deal, game.events_for(seat)
    table = {other: set(game.view(seat).played.get(other, ())) for other in range(game.rules.players)}
    known = {other: set(true_deal[other]) if other == seat else table[other] for other in range(game.rules.players)}
    deck = {card_name(card) for card in DECKS[game.rules.deck].tolist()}
    unseen = sorted(deck - set().union(*known.values()))
    found: set[tuple[object, ...]] = set()

    def complete(other: int, deal: list[set[str]], rest: list[str]) -> None:
        if other == game.rules.players:
            found.update(_replays(game, seat, seen, deal))
            return
        for cards in itertools.combinations(rest, len(true_deal[other]) - len(known[other])):
            complete(other + 1, [*deal, known[other] | set(cards)], [card for card in rest if card not in cards])

    complete(0, [], unseen)
    return found


def _replays(game: Game, seat: int, seen: list[Event], deal: list[set[str]]) -> list[tuple[object, ...]]:
    hidden_discards: list[str | None] = [None]
    if any(isinstance(event, CardDiscarded) and event.seat != seat for event in game.events):
        hidden_discards = [*sorted(deal[game.dealer])]
    agreeing: list[tuple[object, ...]] = []
    for discard in hidden_discards:
        twin = Game(game.rules)
        hand = game.hand
        twin.deal(
            [sorted(cards) for cards in deal],
            dealer=hand.position.dealer,
            scores=hand.position.scores,
            won=hand.position.won,
            kind=hand.position.kind,
            seed=1,
        )
        try:
            for event in seen:
                move = move_of(event)
                while move is not None and twin.phase == "flor_poll" and twin.to_act != seat and move.name != "flor":
                    twin.play("paso")
                if isinstance(event, CardDiscarded) and event.card is None:
                    twin.play(f"discard:{discard}")
                elif move is not None:
                    twin.play(move.name, seat=move.seat)
        except TrucoError:
            continue
        if twin.events_for(seat) == seen and twin.view(seat) == game.view(seat):
            agreeing.append((*(frozenset(cards) for cards in deal), *([discard] if discard else [])))
    return agreeing


def _check_uniform(game: Game, seat: int, expected: int | None = None) -> None:
    possible = _consistent(game, seat)
    assert expected is None or len(possible) == expected
    count = 20 * len(possible)
    drawn = _drawn(game, seat, count, np.random.default_rng(3))
    assert set(drawn) <= possible
    statistic = sum((drawn[deal] - 20) ** 2 / 20 for deal in possible)
    free = len(possible) - 1
    assert abs(statistic - free) < 5 * (2 * free) ** 0.5 + 5  # the mean and spread of chi-square


def _table(ruleset: str, players: int, deal: list[str], moves: str, **options: Any) -> Game:
    game = Game(ruleset, players, **options)
    game.deal(deal, seed=1)
    for move in moves.split():
        game.play(move)
    return game


@pytest.mark.parametrize("lists", [False, True])
def test_all_unseen_hands_are_equally_likely(lists: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    if lists:
        monkeypatch.setattr(sampling, "_FREE_TRIES", 0)
        monkeypatch.setattr(sampling, "_ENOUGH", 2.0)
    _check_uniform(_table("truc_valencia", 2, ["3E 3B 3O", "4C 5C 6C"], "3E 4C"), 0, 153)


@pytest.mark.parametrize("lists", [False, True])
def test_hands_of_several_seats_are_equally_likely_together(lists: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    if lists:
        monkeypatch.setattr(sampling, "_FREE_TRIES", 0)
        monkeypatch.setattr(sampling, "_ENOUGH", 2.0)
    deal = ["3E 6B 3O", "4C 5C 6C", "7C 5B 4B", "7E 6E 5E"]
    _check_uniform(_table("truc_valencia", 4, deal, "3E 4C 5B 5E 6B 5C 4B 7E"), 0, 13 * 12 * 11)


@pytest.mark.parametrize("lists", [False, True])
def test_a_told_number_binds_its_teller_and_a_silent_seat(lists: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    if lists:
        monkeypatch.setattr(sampling, "_FREE_TRIES", 0)
        monkeypatch.setattr(sampling, "_ENOUGH", 2.0)
    silent = _table("argentino", 2, ["7O 6O 4C", "4E 11B 12C"], "envido quiero 7O 11B", flor_mode="off")
    _check_uniform(silent, 0)
    told = _table("argentino", 2, ["7O 5C 4C", "7B 6B 12C"], "envido quiero 7O 7B", flor_mode="off")
    assert told.view(0).numbers == {0: 29, 1: 33}
    _check_uniform(told, 0, 37)


def test_a_seat_that_did_not_sing_where_it_must_holds_no_flor() -> None:
    game = _table("argentino", 2, ["7O 5C 4C", "7B 6B 12C"], "7O 7B")
    possible = _consistent(game, 0)
    assert frozenset({"7B", "6B", "5B"}) not in {deal[1] for deal in possible}
    _check_uniform(game, 0, 630 - 36)


def test_a_sung_flor_is_one() -> None:
    game = _table("argentino", 2, ["7O 5C 4C", "7B 6B 12B"], "7O flor 7B")
    _check_uniform(game, 0, 36)


def test_a_seat_that_could_pass_in_silence_may_hold_a_flor() -> None:
    game = _table("trucomano", 2, ["7O 5C 4C", "7B 6B 12C"], "truco quiero 7O 7B")
    _check_uniform(game, 0, 630)
    rng = np.random.default_rng(0)
    twins = [game.sample_hidden(0, rng) for _ in range(400)]
    flores = [twin for twin in twins if FlorPassed(1) in twin.events]
    assert flores
    assert all(twin.hand.deal[1][0][-1] == twin.hand.deal[1][1][-1] == twin.hand.deal[1][2][-1] for twin in flores)


def test_gallos_discard_is_drawn_with_his_cards() -> None:
    game = _table("argentino", 3, ["7O 6O 4C", "7B 5B 12C", "1E 2C 6B 12O"], "discard:2C 6O 5B 1E 12O 7O 7B 4C 12C")
    _check_uniform(game, 0, 32 * 31)
    known = game.sample_hidden(2, np.random.default_rng(0))
    assert known.hand.deal[2] == game.hand.deal[2]
    assert known.events_for(2) == game.events_for(2)


def test_before_gallos_discard_his_four_cards_are_free() -> None:
    game = _table("argentino", 3, ["7O 6O 4C", "7B 5B 12C", "1E 2C 6B 12O"], "")
    seen = {card for _ in range(60) for card in game.sample_hidden(0, np.random.default_rng(_)).hand.deal[2]}
    assert len(seen) > 30
    assert not seen & {"7O", "6O", "4C"}


def test_shown_cards_stay() -> None:
    game = _table("argentino", 2, ["7O 6O 4C", "7B 5B 12C"], "envido quiero mazo", flor_mode="off")
    assert game.view(1).shown == {0: ("4C", "6O", "7O")}
    for seed in range(20):
        assert game.sample_hidden(1, np.random.default_rng(seed)).hand.deal == game.hand.deal


def test_a_true_sena_binds_the_hand_of_its_maker_for_its_seers() -> None:
    deal = ["1E 6O 4C", "7B 5B 12C", "3C 2C 6B", "11O 10B 4E"]
    game = _table("argentino", 4, deal, "sena:as_espadas", senas="truthful", flor_mode="off")
    rng = np.random.default_rng(0)
    assert all("1E" in game.sample_hidden(2, rng).hand.deal[0] for _ in range(50))
    rivals = [game.sample_hidden(1, rng) for _ in range(50)]
    assert not all("1E" in twin.hand.deal[0] for twin in rivals)
    assert not any(isinstance(event, SenaMade) for twin in rivals for event in twin.events)


def test_strongly_bound_seats_are_found_quickly() -> None:
    deal = ["7O 6O 4C", "7B 6B 12C", "7E 6E 4O", "7C 6C 5O", "12O 11C 10E", "3E 2B 1C"]
    game = _table("argentino", 6, deal, "envido quiero", flor_mode="off")
    assert game.view(4).numbers == {0: 33}
    flor = _table("argentino", 6, ["7O 6O 5O", "7B 6B 5B", "7E 6E 5E", "7C 6C 5C", "4O 4B 4E", "3E 2B 1C"], "flor flor flor flor")
    assert set(flor.view(4).flores) == {0, 1, 2, 3}
    rng = np.random.default_rng(0)
    for table in (game, flor):
        for _ in range(50):
            assert table.sample_hidden(4, rng).view(4) == table.view(4)


def test_the_twin_tells_nothing_of_later_deals_or_earlier_hands() -> None:
    game = Game("argentino")
    game.deal(seed=4)
    game.play("mazo") if "mazo" in game.legal else game.play(game.legal[0])
    while not game.hand_over:
        game.play(game.legal[0])
    game.next_hand()
    twin = game.sample_hidden(0, np.random.default_rng(0))
    assert twin.history == ()
    assert twin.hand_number == game.hand_number == 2
    for table in (game, twin):
        while not table.hand_over:
            table.play(table.legal[0])
        table.next_hand()
    assert twin.hand.deal != game.hand.deal


def test_a_draw_is_fixed_by_its_generator_and_leaves_the_game_alone() -> None:
    game = _table("argentino", 4, ["7O 6O 4C", "7B 5B 12C", "1E 2C 6B", "11O 10B 4E"], "envido quiero")
    before = game.copy()
    first, same = (game.sample_hidden(1, np.random.default_rng(5)) for _ in range(2))
    assert first == same
    assert game == before
    assert game.sample_hidden(1, np.random.default_rng(6)) != first
    state = np.random.get_state()[1].tolist()  # type: ignore[index]  # noqa: NPY002
    game.sample_hidden(1, np.random.default_rng(5))
    assert np.random.get_state()[1].tolist() == state  # type: ignore[index]  # noqa: NPY002


def test_lists_are_kept_for_a_position_and_dropped_with_it() -> None:
    game = _table("argentino", 2, ["7O 5C 4C", "7B 6B 12C"], "envido quiero", flor_mode="off")
    rng = np.random.default_rng(0)
    game.sample_hidden(0, rng)
    sampler = game._sampler
    assert sampler is not None
    game.sample_hidden(0, rng)
    assert game._sampler is sampler
    game.play("7O")
    assert game.sample_hidden(0, rng).view(0) == game.view(0)
    assert game._sampler is not sampler
