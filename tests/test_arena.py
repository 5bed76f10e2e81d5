"""Promises of the arena: what a comparison measures, and what it does not depend on."""

from __future__ import annotations

import json
import signal
import time
from collections.abc import Callable
from concurrent.futures import wait
from pathlib import Path
from typing import Any

import numba
import numpy as np
import numpy.typing as npt
import pytest

from truco_agents.arena import (
    AgentFailedError,
    Arena,
    ArenaError,
    ArenaInterrupt,
    DealSet,
    Estimate,
    MatchResult,
    Pairing,
    UnfinishedError,
    arena,
    compare,
    load_result,
    play_match,
    seatings_of,
    side_of,
)
from truco_agents.arena.deals import CHUNK
from truco_agents.arena.seating import member_table
from truco_agents.files import write_json
from truco_env.batch.batch import Batch
from truco_env.game.game import Game
from truco_env.players.protocol import AgentError
from truco_env.rules.actions import N_ACTIONS
from truco_env.rules.options import Rules

Ints = npt.NDArray[np.int64]
Bytes = npt.NDArray[np.int8]

TABLES = [
    Rules("argentino", 2),
    Rules("argentino", 4),
    Rules("argentino", 6, pica_pica=True),
    Rules("argentino", 3),
    Rules("argentino", 3, gallo_tie="shared"),
    Rules("truc_valencia", 2),
    Rules("reglamento", 8, allow_8=True),
    Rules("trucomano", 2, best_of=3),
]


def name_of(rules: Rules) -> str:
    return f"{rules.ruleset}-{rules.players}"


def agrees(estimate: Estimate, value: float) -> bool:
    """Whether a value lies in the interval, stretched to twice its width because these tests look at many intervals."""
    return estimate.low - (estimate.mean - estimate.low) < value < estimate.high + (estimate.high - estimate.mean)


class Scripted:
    """Deterministic: the legal action that a fixed ranking puts first."""

    def __init__(self, name: str, choose: Callable[[Bytes], Any]) -> None:
        self.name = name
        self.choose = choose
        self.started: set[int] = set()

    def start(self, rows: Ints) -> None:
        self.started |= set(rows.tolist())

    def act(self, observations: Bytes, masks: Bytes, rng: np.random.Generator, rows: Ints) -> Ints:
        assert set(rows.tolist()) <= self.started
        answer: Ints = self.choose(masks)
        return answer


def lowest(name: str = "lowest") -> Scripted:
    """Plays its cards in order and never calls."""
    return Scripted(name, lambda masks: np.argmax(masks, axis=1))


def highest(name: str = "highest") -> Scripted:
    """Takes the last legal action: it folds, sooner or later."""
    return Scripted(name, lambda masks: masks.shape[1] - 1 - np.argmax(masks[:, ::-1], axis=1))


def mixed(name: str = "mixed") -> Scripted:
    """Chooses by what is legal: calls, answers, plays and folds in its own way, but always the same."""

    def choose(masks: Bytes) -> Ints:
        weights = (np.arange(masks.shape[1]) * 7919) % 101
        turn = masks.astype(np.int64) @ weights % 5
        return np.asarray(np.argmax(masks * (1 + (weights * (1 + turn[:, None])) % 97), axis=1))

    return Scripted(name, choose)


@pytest.mark.parametrize("rules", TABLES, ids=name_of)
@pytest.mark.parametrize("episode", ["match", "hand"])
def test_a_deterministic_agent_against_itself_cancels_in_every_deal_group(rules: Rules, episode: str) -> None:
    result = play_match(mixed(), mixed(), rules, groups=20, episode=episode)
    assert np.any(result.scores.points != 0)
    np.testing.assert_array_equal(result.scores.points.sum(axis=1), 0)
    np.testing.assert_array_equal(result.group_points, 0)
    np.testing.assert_allclose(result.group_wins, 0.5, rtol=0, atol=1e-12)


@pytest.mark.parametrize("rules", TABLES, ids=name_of)
def test_swapping_the_sides_negates_the_result(rules: Rules) -> None:
    there, back = play_match(mixed(), highest(), rules, groups=20), play_match(highest(), mixed(), rules, groups=20)
    np.testing.assert_allclose(there.group_points, -back.group_points, rtol=0, atol=1e-12)
    np.testing.assert_allclose(there.group_wins, 1 - back.group_wins, rtol=0, atol=1e-12)
    assert there.points_per_hand().mean != 0


@pytest.mark.parametrize("rules", TABLES, ids=name_of)
def test_each_side_sits_in_every_seat_equally_often(rules: Rules) -> None:
    sides = np.array([seating.sides for seating in seatings_of(rules)])
    np.testing.assert_array_equal(sides.mean(axis=0), 0.5)
    assert len({tuple(row) for row in sides.tolist()}) == len(sides)


def test_gallo_seats_each_side_once_alone_and_once_paired_in_every_place() -> None:
    alone = [seating.sides.index(0) for seating in seatings_of(Rules(players=3)) if seating.sides.count(0) == 1]
    others_alone = [seating.sides.index(1) for seating in seatings_of(Rules(players=3)) if seating.sides.count(0) == 2]
    assert sorted(alone) == sorted(others_alone) == [0, 1, 2]


def test_a_mixed_team_takes_its_seats_in_order_on_either_side() -> None:
    even, odd = seatings_of(Rules(players=4))
    assert member_table((2, 1), even) == [0, 2, 1, 2]
    assert member_table((2, 1), odd) == [2, 0, 2, 1]
    assert side_of("a+b").members == ("a", "b")


def test_a_mixed_team_differs_from_either_of_its_members() -> None:
    rules = Rules(players=4)
    means = [play_match(side, lowest(), rules, groups=20).points_per_hand().mean for side in (mixed(), highest(), [mixed(), highest()])]
    assert len(set(means)) == 3


def test_a_path_with_a_plus_is_one_agent(tmp_path: Path) -> None:
    folder = tmp_path / "a+b"
    folder.mkdir()
    assert side_of(str(folder)).members == (str(folder),)


def test_the_loser_gets_minus_one_and_the_arena_counts_the_same_winner() -> None:
    rules, first, second = Rules("argentino", 2), mixed(), highest()
    deals = DealSet(rules, 5, 50)
    batch = Batch(rules, 50, reward="win")
    rows = np.arange(50)
    batch.reset_rows(rows, deals.seeds)
    rewards, done = np.zeros((50, 2)), np.zeros(50, dtype=bool)
    for agent in (first, second):
        agent.start(rows)
    while not done.all():
        live = rows[~done]
        moves = [agent.act(batch.observations[live], batch.masks[live], np.random.default_rng(0), live) for agent in (first, second)]
        batch.step_rows(live, np.where(batch.seats[live] == 0, *moves))
        rewards[live] += batch.rewards[live]
        done[live] = batch.done[live]
    assert set(rewards.ravel().tolist()) == {1.0, -1.0}
    np.testing.assert_array_equal(rewards.sum(axis=1), 0)
    result = play_match(first, second, rules, groups=50, seed=5)
    np.testing.assert_array_equal(2 * result.scores.wins[:, 0] - 1, rewards[:, 0])


@pytest.mark.parametrize("rules", [Rules("argentino", 2), Rules("argentino", 4), Rules("argentino", 3)], ids=name_of)
def test_a_match_has_the_points_hands_and_winner_of_the_same_game_played_by_hand(rules: Rules) -> None:
    sides = (mixed(), highest())
    result = play_match(*sides, rules, groups=5)
    for group, seed in enumerate(DealSet(rules, 0, 5).seeds.tolist()):
        for column, seating in enumerate(seatings_of(rules)):
            game = Game(rules)
            game.deal(seed=seed)
            while not game.match_over:
                if game.hand_over:
                    game.next_hand()
                mask = np.zeros((1, N_ACTIONS), dtype=np.int8)
                mask[0, game.legal_actions] = 1
                assert game.to_act is not None
                game.play(int(sides[seating.sides[game.to_act]].choose(mask)[0]))
            assert isinstance(game.winner, int)
            ours = [seating.sides[account] == 0 for account in range(rules.n_accounts)]
            scores = np.array(game.scores)
            assert result.scores.points[group, column] == scores[ours].mean() - scores[np.logical_not(ours)].mean()
            assert result.scores.hands[group, column] == game.hand_number
            assert result.scores.wins[group, column] == float(ours[game.winner])


@pytest.mark.parametrize("rules", [Rules("argentino", 2), Rules("argentino", 2, target=15), Rules("argentino", 4)], ids=name_of)
def test_points_are_the_difference_of_the_final_scores(rules: Rules) -> None:
    result = play_match("bravo", "prudente", rules, groups=50)
    points, wins = result.scores.points, result.scores.wins
    np.testing.assert_array_equal(points > 0, wins == 1)
    assert np.all((np.abs(points) >= 1) & (np.abs(points) <= rules.leg_target))
    assert np.all(points == np.round(points))


def test_points_per_hand_are_all_points_over_all_hands_with_the_interval_of_that_ratio() -> None:
    result = play_match("bravo", "random", Rules("argentino", 2), groups=400)
    points, hands = result.scores.points.sum(axis=1), result.scores.hands.sum(axis=1)
    estimate = result.points_per_hand()
    assert estimate.mean == pytest.approx(points.sum() / hands.sum())
    rng = np.random.default_rng(0)
    drawn = rng.integers(0, len(points), (2000, len(points)))
    low, high = np.percentile(points[drawn].sum(axis=1) / hands[drawn].sum(axis=1), [2.5, 97.5])
    width = high - low
    assert (estimate.low, estimate.high) == pytest.approx((low, high), abs=0.1 * width)


def test_the_better_agent_is_better_whichever_side_it_is_given() -> None:
    rules = Rules("argentino", 2)
    there, back = play_match("bravo", "random", rules, groups=100), play_match("random", "bravo", rules, groups=100)
    assert there.win_rate().low > 0.5 > back.win_rate().high
    assert there.points_per_hand().low > 0 > back.points_per_hand().high


@pytest.mark.parametrize("rules", [Rules("argentino", 2), Rules("argentino", 4), Rules("truc_valencia", 2)], ids=name_of)
def test_win_rates_are_the_same_from_either_seat_within_the_interval(rules: Rules) -> None:
    result = play_match("bravo", "bravo", rules, groups=1000)
    advantage = result.seat_advantage()
    assert advantage is not None
    assert agrees(advantage, 0)
    assert agrees(result.win_rate(), 0.5)
    for rate in result.win_rate_by_seating().values():
        assert agrees(rate, 0.5)


def test_gallo_seats_alone_win_a_third_of_the_matches_of_equals() -> None:
    result = play_match("bravo", "bravo", Rules("argentino", 3), groups=300)
    for where, rate in result.win_rate_by_seating().items():
        assert agrees(rate, 2 / 3 if "+" in where else 1 / 3)


def test_the_chunk_size_does_not_matter_to_agents_that_draw_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    def play() -> MatchResult:
        return play_match(mixed(), highest(), Rules("argentino", 4), groups=50)

    whole = play()
    for module in ("deals", "arena"):
        monkeypatch.setattr(f"truco_agents.arena.{module}.CHUNK", 7)
    assert play().to_dict() == whole.to_dict()


def test_a_smaller_deal_set_is_the_beginning_of_a_larger_one() -> None:
    rules = Rules("argentino", 2)
    small, large = DealSet(rules, 3, 128), DealSet(rules, 3, 300)
    np.testing.assert_array_equal(small.seeds, large.seeds[:128])
    assert small.digest == large.first(128).digest != large.digest
    first, second = (play_match("bravo", "prudente", rules, groups=deals.groups, seed=3) for deals in (small, large))
    np.testing.assert_array_equal(first.scores.points, second.scores.points[:128])


def test_the_digest_names_the_deals() -> None:
    rules = Rules("argentino", 2)
    others = [DealSet(rules, 1, 10), DealSet(rules, 0, 11), DealSet(Rules(players=4), 0, 10), DealSet(Rules("truc_valencia"), 0, 10)]
    assert len({deals.digest for deals in (DealSet(rules, 0, 10), *others)}) == 5
    assert DealSet(Rules("argentino", flor_mode="off"), 0, 10).digest == DealSet(rules, 0, 10).digest


def test_the_deals_of_a_seed_stay_what_they_were_in_earlier_versions() -> None:
    assert DealSet(Rules("argentino", 2), 0, 1000).digest.startswith("73fe4c3fc6d5")


def test_the_draws_of_agents_leave_the_deals_alone() -> None:
    rules = Rules("argentino", 2)
    assert play_match("bravo", "random", rules, groups=10).digest == play_match(lowest(), lowest(), rules, groups=10).digest


def test_the_number_of_workers_does_not_change_the_result() -> None:
    deals = DealSet(Rules("argentino", 3), 0, 300)
    pairings = [Pairing(deals, (side_of("bravo"), side_of(other))) for other in ("prudente", "random")]
    alone = [Arena().play(pairing).to_dict() for pairing in pairings]
    with Arena(workers=2) as arena:
        assert [arena.play(pairing).to_dict() for pairing in pairings] == alone


@pytest.mark.parametrize("strikes", [1, 2])
def test_the_keyboard_never_strikes_inside_a_lock_of_the_pool(strikes: int, monkeypatch: pytest.MonkeyPatch) -> None:
    pairing = Pairing(DealSet(Rules(), 0, 30 * CHUNK), (side_of("bravo"), side_of("prudente")))
    waits: list[int] = []

    def struck(futures: dict[Any, int], **options: Any) -> Any:
        waits.append(len(futures))
        if len(waits) == strikes:
            with next(iter(futures))._condition:
                signal.raise_signal(signal.SIGINT)
                time.sleep(0.01)  # let the interpreter look at signals
            waits.append(-1)
        return wait(futures, **options)

    monkeypatch.setattr(arena, "wait", struck)
    with Arena(workers=2) as spread, pytest.raises(ArenaInterrupt):
        spread.play(pairing)
    assert waits[-1] == -1
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_the_keyboard_is_not_forgotten_when_something_else_goes_wrong() -> None:
    pairing = Pairing(DealSet(Rules(), 0, 8 * CHUNK), (side_of("bravo"), side_of("prudente")))

    def fail(groups: int) -> None:
        signal.raise_signal(signal.SIGINT)
        time.sleep(0.01)
        raise OSError(groups)

    with Arena(workers=2) as spread, pytest.raises(ArenaInterrupt) as caught:
        spread.play(pairing, progress=fail)
    assert isinstance(caught.value.__cause__, KeyboardInterrupt)
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_workers_refuse_agents_without_names_and_pass_errors_on() -> None:
    with Arena(workers=2) as arena:
        with pytest.raises(ArenaError, match="use workers=1"):
            arena.play(Pairing(DealSet(Rules(), 0, 2), (side_of(lowest()), side_of("random"))))
        with pytest.raises(AgentError, match="nobody"):
            arena.play(Pairing(DealSet(Rules(), 0, 2), (side_of("nobody"), side_of("random"))))


def test_an_illegal_move_names_the_agent() -> None:
    def choose(masks: Bytes) -> Ints:
        return np.asarray(np.argmin(masks, axis=1))

    with pytest.raises(ArenaError, match=r"agent 'cheat' made an illegal move: match .* legal are"):
        play_match(lowest(), Scripted("cheat", choose), Rules(), groups=2)


def test_an_action_out_of_range_names_the_agent() -> None:
    with pytest.raises(ArenaError, match="agent 'wild' made an illegal move"):
        play_match(lowest(), Scripted("wild", lambda masks: np.full(len(masks), 99)), Rules(), groups=2)


@pytest.mark.parametrize(
    ("choose", "told"),
    [
        (
            lambda masks: np.argmax(masks, axis=1).astype(np.float64),
            r"returned float64 of shape \((\d+),\): it must return one integer per row",
        ),
        (lambda masks: np.argmax(masks, axis=1) == 0, "returned bool of shape"),
        (lambda masks: np.argmax(masks, axis=1)[:1], r"returned int64 of shape \(1,\)"),
        (lambda masks: np.argmax(masks, axis=1)[:, None], "returned int64 of shape"),
        (lambda masks: np.int64(0), r"returned int64 of shape \(\)"),
        (lambda masks: None, r"returned object of shape \(\)"),
        (lambda masks: [[0], [0, 0]], "raised ValueError: "),
        (lambda masks: np.full(len(masks), 2**63, dtype=np.uint64), "made an illegal move: "),
        (lambda masks: np.full(len(masks), -1), "made an illegal move: "),
        (lambda masks: {0: 0}[len(masks) + 10**6], r"raised KeyError: \d+ \(test_arena.py, line \d+\)"),
    ],
)
def test_an_agent_that_fails_is_named_with_what_it_did(choose: Callable[[Bytes], Any], told: str) -> None:
    with pytest.raises(AgentFailedError, match=f"^agent 'broken' {told}") as caught:
        play_match(lowest(), Scripted("broken", choose), Rules(), groups=2)
    assert "\n" not in str(caught.value)


def test_lists_and_small_integers_are_answers_too() -> None:
    listing = Scripted("listing", lambda masks: np.argmax(masks, axis=1).tolist())
    small = Scripted("small", lambda masks: np.argmax(masks, axis=1).astype(np.uint8))
    scores = play_match(listing, small, Rules(), groups=5).scores
    np.testing.assert_array_equal(scores.points, play_match(lowest(), lowest(), Rules(), groups=5).scores.points)


def test_an_agent_that_fails_at_the_start_is_named() -> None:
    agent = lowest("late")
    agent.start = lambda rows: 1 / 0  # type: ignore[method-assign,assignment]
    with pytest.raises(AgentFailedError, match="agent 'late' raised ZeroDivisionError: division by zero"):
        play_match(agent, "random", Rules(), groups=2)


def test_what_was_finished_before_an_agent_failed_is_kept() -> None:
    def failing(calls: int) -> Scripted:
        count = iter(range(calls))
        return Scripted("tired", lambda masks: np.argmax(masks, axis=1) if next(count, None) is not None else np.zeros(0))

    calls = iter(range(1 << 30))
    counting = Scripted("tired", lambda masks: np.argmax(masks, axis=1) + 0 * next(calls))
    whole = play_match(counting, highest(), Rules(), groups=CHUNK)
    with pytest.raises(UnfinishedError, match="agent 'tired' returned") as caught:
        play_match(failing(next(calls)), highest(), Rules(), groups=2 * CHUNK)
    assert caught.value.partial is not None
    np.testing.assert_array_equal(caught.value.partial.scores.points, whole.scores.points)


def test_a_result_says_what_it_was_made_with(tmp_path: Path) -> None:
    made_with = play_match("bravo", lowest(), Rules(), groups=2).to_dict()["made_with"]
    assert made_with["versions"]["numba"] == numba.__version__ and "python" in made_with["versions"]
    ((bravo,), (scripted,)) = made_with["agents"]
    assert (bravo["name"], bravo["class"]) == ("bravo", "truco_agents.rule_based.agent:Truquero")
    assert scripted["name"] == "lowest"
    assert len({bravo["sha256"], scripted["sha256"], made_with["engine_sha256"]}) == 3
    ((same,), (other,)) = play_match("bravo", "random", Rules(players=4), groups=2).made_with["agents"]
    assert same == bravo and other["sha256"] != scripted["sha256"]


def test_results_of_older_files_say_nothing_of_what_made_them() -> None:
    data = play_match(lowest(), highest(), Rules(), groups=2).to_dict()
    del data["made_with"]
    assert MatchResult.from_dict(data).made_with == {}


def test_every_agent_of_every_chunk_draws_from_a_stream_of_its_own() -> None:
    deals = DealSet(Rules(), 0, 300)
    streams = [deals.agent_generator(chunk, side, member) for chunk in (0, 1) for side in (0, 1) for member in (0, 1)]
    drawn = {generator.integers(2**63) for generator in [*streams, DealSet(Rules(), 1, 300).agent_generator(0, 0, 0)]}
    assert len(drawn) == 9
    assert not drawn & set(deals.seeds.tolist())


def test_an_interrupt_keeps_the_finished_beginning() -> None:
    rules = Rules("argentino", 2)
    finished: list[int] = []

    def interrupt(groups: int) -> None:
        finished.append(groups)
        if len(finished) == 2:
            raise KeyboardInterrupt

    with pytest.raises(ArenaInterrupt) as caught:
        play_match("bravo", "random", rules, groups=500, progress=interrupt)
    assert caught.value.partial is not None
    assert caught.value.partial.to_dict() == play_match("bravo", "random", rules, groups=256).to_dict()


def test_torch_computes_on_one_thread_while_it_plays() -> None:
    torch = pytest.importorskip("torch")
    before = torch.get_num_threads()
    threads: set[int] = set()

    def choose(masks: Bytes) -> Ints:
        threads.add(torch.get_num_threads())
        return np.asarray(np.argmax(masks, axis=1))

    torch.set_num_threads(2)
    try:
        play_match(Scripted("net", choose), lowest(), Rules(), groups=2)
        assert threads == {1}
        assert torch.get_num_threads() == 2
    finally:
        torch.set_num_threads(before)


@pytest.mark.parametrize("rules", [Rules("argentino", 6, pica_pica=True, pica_band=(3, 20)), Rules("argentino", 3)], ids=name_of)
def test_a_saved_result_reads_back_to_the_same_estimates(rules: Rules, tmp_path: Path) -> None:
    result = play_match("bravo", "random", rules, groups=20)
    write_json(tmp_path / "result.json", result.to_dict())
    back = load_result(tmp_path / "result.json")
    assert back.rules == rules
    assert back.to_dict() == result.to_dict()
    assert back.summary() == json.loads((tmp_path / "result.json").read_text())["summary"]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda data: data.update(format="other"), "its format is not"),
        (lambda data: data.pop("points"), "broken: 'points'"),
        (lambda data: data["points"].pop(), "must have the shape"),
        (lambda data: data["rules"]["options"].update(flor="x"), "unknown option"),
        (lambda data: data.update(hands="x"), "broken"),
        (lambda data: data.update(sides=["a"]), "broken"),
    ],
)
def test_a_broken_result_file_is_refused_by_name(change: Callable[[object], object], message: str, tmp_path: Path) -> None:
    data = play_match(lowest(), highest(), Rules(), groups=3).to_dict()
    change(data)
    path = tmp_path / "result.json"
    write_json(path, data)
    with pytest.raises(ArenaError, match=message) as caught:
        load_result(path)
    assert str(path) in str(caught.value)


def test_a_file_that_is_no_json_is_refused_by_name(tmp_path: Path) -> None:
    (tmp_path / "x.json").write_text("{")
    with pytest.raises(ArenaError, match=r"x\.json is no JSON file"):
        load_result(tmp_path / "x.json")


def test_a_failed_write_leaves_the_old_file_and_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "result.json"
    path.write_text("old")
    with pytest.raises(ValueError, match="not JSON compliant"):
        write_json(path, {"x": float("nan")})
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_comparing_two_results_is_paired_by_deal_group() -> None:
    rules = Rules("argentino", 2)
    bravo, prudente = (play_match(name, "random", rules, groups=100) for name in ("bravo", "prudente"))
    points, wins = compare(bravo, prudente)
    assert points.mean == pytest.approx(bravo.points_per_hand().mean - prudente.points_per_hand().mean)
    assert wins.mean == pytest.approx(bravo.win_rate().mean - prudente.win_rate().mean)
    assert compare(bravo, bravo)[0].high == 0


def test_results_on_different_deals_are_not_compared() -> None:
    first, second = (play_match(lowest(), highest(), Rules(), groups=2, seed=seed) for seed in (0, 1))
    with pytest.raises(ArenaError, match="same deal set"):
        compare(first, second)
    with pytest.raises(ArenaError, match="same rules"):
        compare(first, play_match(lowest(), highest(), Rules(flor_mode="off"), groups=2))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"groups": 1}, "an interval needs 2 or more"),
        ({"groups": 99999999999999999999}, "a deal set has at most 10,000,000"),
        ({"seed": -1}, "it is 0 or more"),
        ({"episode": "leg"}, "choose one of match, hand"),
        ({"workers": 0}, "it is 1 or more"),
    ],
)
def test_bad_arguments_are_refused(arguments: dict[str, object], message: str) -> None:
    with pytest.raises(ArenaError, match=message):
        play_match(lowest(), highest(), Rules(), **{"groups": 2, **arguments})  # type: ignore[arg-type]


@pytest.mark.parametrize(("rules", "side"), [(Rules(players=6), "a+b"), (Rules(players=2), "a+b"), (Rules(players=3), "a+b")], ids=str)
def test_a_team_that_does_not_fit_the_table_is_refused(rules: Rules, side: str) -> None:
    with pytest.raises(ArenaError, match=r"side 'a\+b' has 2 agents"):
        play_match(side, lowest(), rules)
