"""Observations: they tell a seat all that it may know and nothing else, at every table.

What a seat may know is taken from the game's log, filtered by ``Event.seen_by``; the observation is written from the record by other code.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from truco_env import Game, Rules, decode, layout_of
from truco_env.batch.batch import Batch
from truco_env.envs.aec_kernel import MAX_VIEW
from truco_env.errors import IllegalActionError
from truco_env.game.events import CardPlayed, DuelBegun, Event
from truco_env.rules.actions import CALL_NAMES, N_ACTIONS, Action
from truco_env.rules.cards import DECKS, card_name

TABLES = {
    "argentino": Rules("argentino"),
    "argentino optional flor": Rules("argentino", flor_mode="optional", flor_poll="uniform", reveal_envido="all"),
    "argentino clarin": Rules("argentino", flor_table="clarin", flor_mode="optional", retruco_right="either", envido_first="annul"),
    "reglamento": Rules("reglamento", contraflor=True),
    "reglamento end of hand": Rules("reglamento", scoring_time="end_of_hand", parda_leader="first_tied"),
    "truc_valencia": Rules("truc_valencia", falta_direct=True),
    "trucomano": Rules("trucomano", best_of=3),
    "gallo": Rules("argentino", 3),
    "gallo with señas": Rules("argentino", 3, senas="free", sena_catch=0.4, flor_mode="optional"),
    "argentino 4": Rules("argentino", 4, flor_mode="optional"),
    "argentino 4 with señas": Rules("argentino", 4, senas="free", sena_catch=0.3),
    "reglamento 4": Rules("reglamento", 4, senas="truthful", sena_catch=0.5),
    "truc_valencia 4": Rules("truc_valencia", 4, fold_scope="both", senas="free"),
    "argentino 6 pica-pica": Rules("argentino", 6, pica_pica=True),
    "argentino 6 pica-pica with señas": Rules("argentino", 6, pica_pica=True, senas="free", flor_mode="optional"),
    "reglamento 8": Rules("reglamento", 8, allow_8=True, flor_opposed="each_own"),
    "truc_valencia 8": Rules("truc_valencia", 8, deck30=True, senas="free", sena_catch=0.2),
}
every_table = pytest.mark.parametrize("rules", list(TABLES.values()), ids=list(TABLES))
_RARE = {"mazo": 0.1, "no_quiero": 0.4, "cerrarse": 0.3, "falta_envido": 0.3, "contraflor_al_resto": 0.5}


@cache
def _batch(rules: Rules) -> Batch:
    return Batch(rules, 1)


def _observe(game: Game, seat: int) -> npt.NDArray[np.int8]:
    """Observation and mask of a seat, in one vector."""
    batch = _batch(game.rules)
    batch._games.view(np.uint8)[:] = game.table.raw
    observations, masks = batch.observe(np.zeros(1, dtype=np.int64), np.array([seat], dtype=np.int8))
    return np.concatenate([observations[0], masks[0]])


def _deal(rules: Rules, rng: np.random.Generator) -> Game:
    """A first hand at a random position."""
    game = Game(rules)
    top = rules.leg_target
    scores = [int(rng.integers(max(1, top if rng.random() < 0.7 else top // 2))) for _ in range(rules.n_accounts)]
    won = [int(rng.integers(rules.legs_to_win)) for _ in range(rules.n_accounts)]
    kind = str(rng.choice(["redonda", "pica"])) if rules.pica_pica else None
    game.deal(seed=int(rng.integers(2**40)), dealer=int(rng.integers(rules.players)), scores=scores, won=won, kind=kind)
    return game


def _move(game: Game, rng: np.random.Generator) -> str:
    """A random move, the ones that end a hand less often, cards more often."""
    moves = game.legal
    weights = np.array([_RARE.get(move, 0.15 if move.startswith("sena:") else 1.0) for move in moves])
    return moves[int(rng.choice(len(moves), p=weights / weights.sum()))]


def _playout(rules: Rules, rng: np.random.Generator) -> Iterator[Game]:
    """The positions of a random hand, from the deal to its end."""
    game = _deal(rules, rng)
    yield game
    while not game.hand_over:
        game.play(_move(game, rng))
        yield game


@dataclass(frozen=True)
class Knowledge:
    """What tells a seat's positions apart."""

    facts: tuple[object, ...]
    cards: tuple[str, ...]
    table: tuple[object, ...]
    events: tuple[Event, ...]


def _knowledge(game: Game, seat: int, events: Sequence[Event]) -> Knowledge:
    """What ``seat`` may know: its cards, the score, what it saw in this hand; of earlier duels of the deal only what lies on the table."""
    own = [seen for seen in (event.seen_by(seat) for event in events) if seen is not None]
    begins = [k for k, event in enumerate(own) if isinstance(event, DuelBegun)]
    past, present = (own[: begins[-1]], own[begins[-1] :]) if begins else ([], own)
    games, rules = game.table.games, game.rules
    facts = (
        int(games["mano"][0]),
        game.kind,
        int(games["duel"][0]),
        tuple(games["start_scores"][0, : rules.n_accounts].tolist()),
        tuple(games["won"][0, : rules.n_accounts].tolist()),
        tuple(game.legal) if seat == game.to_act else None,
        game.hand_over,
        tuple((other, _cards(game, other)) for other in range(rules.players) if int(games["revealed"][0]) >> other & 1),
    )
    plays = [(event.seat, event.card) for event in past if isinstance(event, CardPlayed)]
    table = tuple((other, *(card for owner, card in plays if owner == other)) for other in range(rules.players))
    cards = _cards(game, seat)
    held = int(games["held"][0, seat])
    return Knowledge(facts, (*cards, "held", *(card for k, card in enumerate(cards) if held >> k & 1)), table, tuple(present))


def _cards(game: Game, seat: int) -> tuple[str, ...]:
    return tuple(card_name(card) for card in game.table.games["cards"][0, seat].tolist() if card >= 0)


def _narrow_move(game: Game, rng: np.random.Generator, calls: set[str]) -> str:
    """A random move out of few: the first card in hand, some of the calls."""
    moves = game.legal
    cards = [game.action_name(action) for action in game.legal_actions if action <= Action.PLAY_2]
    few = [*cards[:1], *(move for move in moves if move in calls)]
    return few[int(rng.integers(len(few)))] if few else _move(game, rng)


@every_table
def test_different_knowledge_gives_different_observations(rules: Rules) -> None:
    rng = np.random.default_rng(1)
    known: dict[tuple[int, bytes], Knowledge] = {}
    names = [name for action, name in CALL_NAMES.items() if action not in (Action.QUIERO, Action.NO_QUIERO, Action.MAZO)]
    positions = 0
    for _ in range(16):  # few deals, few moves and few scores many times over, so that histories that differ by little are compared
        hand = _deal(rules, rng).hand
        calls = {"quiero", "no_quiero", *rng.choice(names, size=8, replace=False).tolist(), *rng.choice(names[:4], size=2).tolist()}
        for k in range(30):
            game = Game(rules)
            scores = [max(0, score - int(rng.integers(2))) if k % 6 == 0 else score for score in hand.position.scores or ()]
            game.deal(hand.deal, seed=1, dealer=hand.position.dealer, scores=scores, won=hand.position.won, kind=hand.position.kind)
            while True:
                events = game.events
                for seat in rng.choice(rules.players, size=2, replace=False).tolist():
                    view = _observe(game, seat).tobytes()
                    knowledge = _knowledge(game, seat, events)
                    positions += 1
                    assert known.setdefault((seat, view), knowledge) == knowledge
                if game.hand_over:
                    break
                game.play(_narrow_move(game, rng, calls))
    assert positions > len(known) > 500


@pytest.mark.parametrize(
    ("ruleset", "options", "moves"),
    [
        ("reglamento", {"flor_mode": "off"}, ("falta_envido", "quiero")),
        ("reglamento", {"flor_mode": "optional", "contraflor": True}, ("flor", "contraflor_al_resto", "quiero")),
    ],
)
def test_the_score_before_the_hand_is_told(ruleset: str, options: dict[str, Any], moves: Sequence[str]) -> None:
    views = []
    for scores in ((10, 3), (11, 3)):
        game = Game(ruleset, **options)
        game.deal(["7O 6O 4O", "7B 5B 4B"], scores=scores)
        for move in moves:
            game.play(move)
        assert game.scores == (15, 3)
        assert not game.hand_over
        views.append([_observe(game, seat).tobytes() for seat in (0, 1)])
    assert views[0][0] != views[1][0]
    assert views[0][1] != views[1][1]


def test_a_finished_hand_tells_how_it_ended() -> None:
    views = []
    for moves in (("truco", "retruco", "no_quiero"), ("truco", "quiero", "mazo")):
        game = Game("trucomano")
        game.deal(["7O 6O 4C", "7B 5B 12C"])
        for move in moves:
            game.play(move)
        assert game.hand_over
        views.append([_observe(game, seat).tobytes() for seat in (0, 1)])
    assert views[0][0] != views[1][0]
    assert views[0][1] != views[1][1]


# The other half: what a seat cannot see does not change a byte. The cards it cannot see are exchanged, and the hand is played again.


def _unseen(game: Game, seat: int) -> tuple[list[tuple[int, int]], list[str]]:
    """Places of cards that ``seat`` has not seen, as (owner, position in the deal), and the undealt cards."""
    deal = game.hand.deal
    events = [seen for seen in (event.seen_by(seat) for event in game.events) if seen is not None]
    open_cards = {event.card for event in events if isinstance(event, CardPlayed)}
    for other in range(game.rules.players):
        if int(game.table.games["revealed"][0]) >> other & 1:
            open_cards |= set(_cards(game, other))
    hidden = [(other, k) for other, hand in enumerate(deal) if other != seat for k, card in enumerate(hand) if card not in open_cards]
    dealt = {card for hand in deal for card in hand}
    return hidden, [name for name in map(card_name, DECKS[game.rules.deck].tolist()) if name not in dealt]


def _exchange(game: Game, seat: int, rng: np.random.Generator) -> list[list[str]] | None:
    """The deal with a few hidden cards exchanged among each other and with the stock."""
    hidden, stock = _unseen(game, seat)
    deal = [list(hand) for hand in game.hand.deal]
    if not hidden:
        return None
    for _ in range(int(rng.integers(1, 4))):
        owner, k = hidden[int(rng.integers(len(hidden)))]
        other = int(rng.integers(len(hidden) + len(stock)))
        if other < len(hidden):
            owner2, k2 = hidden[other]
            deal[owner][k], deal[owner2][k2] = deal[owner2][k2], deal[owner][k]
        else:
            deal[owner][k], stock[other - len(hidden)] = stock[other - len(hidden)], deal[owner][k]
    return deal


def _replay(game: Game, deal: list[list[str]], seat: int, rng: np.random.Generator) -> Game | None:
    """Play the hand again with other cards, so that ``seat`` sees the same; ``None`` if that cannot be.

    What ``seat`` does not see may differ: who is asked for a flor and passes, señas, the card of a discard.
    """
    hand = game.hand
    twin = Game(game.rules)
    twin.deal(
        deal, seed=game.seed, dealer=hand.position.dealer, scores=hand.position.scores, won=hand.position.won, kind=hand.position.kind
    )
    moves = list(hand.moves)
    while True:
        mine = twin.to_act == seat
        move = moves[0] if moves else None
        if move is None and (game.to_act == seat) == mine:
            break
        if twin.hand_over:
            return None
        secret = move is not None and move.seat != seat and (move.name == "paso" or move.name.startswith(("sena:", "discard:")))
        if move is not None and move.seat == twin.to_act and move.name in twin.legal and not (secret and rng.random() < 0.3):
            twin.play(move.name)
            moves.pop(0)
        elif move is not None and secret and not move.name.startswith("discard:"):
            moves.pop(0)
        elif not mine and "paso" in twin.legal:
            twin.play("paso")
        elif not mine and twin.phase == "discard":
            twin.play(twin.legal[int(rng.integers(len(twin.legal)))])
            moves.pop(0)
        else:
            return None
    return twin if _knowledge(twin, seat, twin.events) == _knowledge(game, seat, game.events) else None


@every_table
def test_what_a_seat_cannot_see_does_not_change_a_byte(rules: Rules) -> None:
    rng = np.random.default_rng(2)
    changed, secrets = 0, 0
    for _ in range(400):
        positions = [game.copy() for game in _playout(rules, rng)]
        game = positions[int(rng.integers(len(positions)))]
        seat = int(rng.integers(rules.players))
        deal = _exchange(game, seat, rng)
        twin = None if deal is None else _replay(game, deal, seat, rng)
        if twin is None:
            continue
        changed += game.table.games["cards"].tobytes() != twin.table.games["cards"].tobytes()
        secrets += game.events != twin.events
        assert _observe(game, seat).tobytes() == _observe(twin, seat).tobytes(), _difference(game, twin, seat)
    assert changed > 40, "the test must see many positions with other cards"


def _difference(game: Game, twin: Game, seat: int) -> str:
    one, two = (decode(_observe(g, seat)[:-N_ACTIONS], g.rules) for g in (game, twin))
    fields = {name: (one[name], two[name]) for name in one if one[name] != two[name]}
    return f"seat {seat}: {fields}\n{[str(e) for e in game.events]}\n{[str(e) for e in twin.events]}"


@every_table
def test_sampled_hidden_cards_do_not_change_a_byte(rules: Rules) -> None:
    rng = np.random.default_rng(3)
    for _ in range(25):
        positions = [game.copy() for game in _playout(rules, rng)]
        game = positions[int(rng.integers(len(positions)))]
        for seat in range(rules.players):
            assert _observe(game.sample_hidden(seat, rng), seat).tobytes() == _observe(game, seat).tobytes()


def test_an_unseen_sena_changes_nothing_for_others() -> None:
    game = Game("argentino", players=4, senas="free", flor_mode="off")
    game.deal(["7O 6O 4C", "7B 5B 12C", "1E 2B 3C", "4O 5C 10E"])
    before = [_observe(game, seat).tobytes() for seat in range(4)]
    game.play("sena:tres")
    after = [_observe(game, seat).tobytes() for seat in range(4)]
    assert [a == b for a, b in zip(before, after, strict=True)] == [False, True, False, True]


@every_table
def test_decoding_gives_back_the_game(rules: Rules) -> None:
    rng = np.random.default_rng(4)
    for _ in range(30):
        for game in _playout(rules, rng):
            seat = int(rng.integers(rules.players))
            _check_decoded(game, seat, decode(_observe(game, seat)[:-N_ACTIONS], rules))


def _check_decoded(game: Game, seat: int, told: dict[str, Any]) -> None:
    rules, view, games = game.rules, game.view(seat), game.table.games
    n = rules.players

    def relative(values: Sequence[Any]) -> list[Any]:
        return [values[(seat + i) % n] for i in range(n)]

    own = seat if rules.gallo else seat & 1
    accounts = [(own + i) % rules.n_accounts for i in range(rules.n_accounts)]
    assert [card for card in told["hand"] if card] == list(view.dealt)
    assert [card for card, held in zip(told["hand"], told["held"], strict=True) if held] == list(view.held)
    assert told["envido"] == [view.envido or 0]
    assert sum(told["envido_at_least"]) == min(14, max(0, (view.envido or 0) - 19))
    assert told["flor"] == [view.flor or 0]
    for trick in range(3):
        played = {other: cards[trick] for other, cards in view.played.items() if len(cards) > trick}
        assert told["table"][trick] == relative([played.get(other) for other in range(n)])
    assert told["mano"] == relative([int(other == view.mano) for other in range(n)])
    assert told["leader"] == relative([int(other == view.leader) for other in range(n)])
    assert told["active"] == relative([int(other in view.active) for other in range(n)])
    assert told["worth"] == [view.worth]
    assert told["score"] == [min(view.scores[account], 127) for account in accounts]
    assert told["to_go"] == [max(view.target - view.scores[account], 0) for account in accounts]
    assert told["won"] == [view.won[account] for account in accounts]
    assert told["shown"] == relative([list(view.shown.get(other, (None,) * 3)) for other in range(n)])
    assert told["trick"].index(1) + 1 == view.trick
    if game.to_act == seat:
        assert told["phase"] == [int(phase == game.phase) for phase in _PHASES]
        assert told["to_act"] == relative([int(other == seat) for other in range(n)])
    rungs = ("truco", "retruco", "vale_cuatro", "joc_fora")
    assert game.hand_over or told["truco_waits"] == [int(view.truco_waits == rung) for rung in rungs]
    called = {call: caller for caller, call in view.calls if call in rungs}
    for rung, callers in zip(rungs, told["truco_caller"], strict=True):
        if game.hand_over:
            break  # a refused rung is not kept
        expected = relative([int(called.get(rung) == other) for other in range(n)])
        assert callers == expected or (rung == "truco" and any(told["truco_annulled"]) and not any(callers))
    chain = [(caller, call) for caller, call in view.calls if call in ("envido", "real_envido", "torne", "falta_envido")]
    for k, (caller, call) in enumerate(chain):
        assert told["envido_call"][k][("envido", "real_envido", "torne", "falta_envido").index(call)] == 1
        assert told["envido_caller"][k] == relative([int(other == caller) for other in range(n)])
    if view.kind != "pica":
        assert told["told"] == relative([view.numbers.get(other, -1) + 1 for other in range(n)])
    if "senas" in told:
        made = {(maker, trick, name) for trick, maker, name in view.senas}
        names = [name for action, name in CALL_NAMES.items() if action >= Action.SENA_AS_ESPADAS]
        found = {
            ((seat + i) % n, trick + 1, name)
            for i in range(n)
            for trick in range(3)
            for k, name in enumerate(names)
            if told["senas"][i][trick][k]
        }
        assert found == made
    assert int(games["clock"][0]) == told["clock"][0]


_PHASES = ("discard", "flor_answer", "flor_poll", "envido_answer", "truco_answer", "turn", "hand_over")


@every_table
def test_every_entry_keeps_to_its_bounds_and_offsets(rules: Rules) -> None:
    layout = layout_of(rules)
    rng = np.random.default_rng(5)
    for _ in range(40):
        for game in _playout(rules, rng):
            for seat in range(rules.players):
                view = _observe(game, seat)[:-N_ACTIONS]
                assert (view >= layout.low).all()
                assert (view <= layout.high).all()
    ends = [field.start + field.size for field in layout.fields]
    assert [field.start for field in layout.fields] == [0, *ends[:-1]]
    assert ends[-1] == layout.size


@every_table
def test_the_observation_does_not_depend_on_the_seat_a_player_sits_in(rules: Rules) -> None:
    rng = np.random.default_rng(6)
    n = rules.players
    for _ in range(20):
        game = _deal(rules, rng)
        shift = int(rng.integers(1, n)) if rules.gallo else 2 * int(rng.integers(n // 2)) if n > 2 else 0
        scores = list(game.scores)
        won = list(game.won)
        if rules.gallo:
            scores, won = [scores[(i - shift) % 3] for i in range(3)], [won[(i - shift) % 3] for i in range(3)]
        turned = Game(rules)
        deal = game.hand.deal
        turned.deal(
            [list(deal[(i - shift) % n]) for i in range(n)],
            seed=game.seed,
            dealer=(game.dealer + shift) % n,
            scores=scores,
            won=won,
            kind=game.kind if rules.pica_pica else None,
        )
        while not game.hand_over:
            for seat in range(n):
                assert np.array_equal(_observe(game, seat), _observe(turned, (seat + shift) % n))
            move = _move(game, rng)
            game.play(move)
            try:
                turned.play(move)
            except IllegalActionError as error:  # pragma: no cover
                raise AssertionError(f"after a turn of the table {move} is not legal: {error}") from error


def test_the_longest_observation_fits_the_desk_of_the_environment() -> None:
    longest = Rules("reglamento", 8, allow_8=True, senas="free"), Rules("argentino", 6, pica_pica=True, senas="free")
    assert max(layout_of(rules).size for rules in longest) + N_ACTIONS <= MAX_VIEW
