"""LearnerBatch: who plays which seat, what reaches the learner, opponents fixed for a match, exact resume."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from truco_env.batch.learner import ITSELF, LearnerBatch
from truco_env.errors import IllegalActionError
from truco_env.observation.layout import layout_of
from truco_env.observation.masks import pick_uniform
from truco_env.players.opponents import PoolError
from truco_env.players.protocol import AgentError
from truco_env.rules.options import Rules

TABLES = [
    Rules("argentino"),
    Rules("reglamento"),
    Rules("truc_valencia"),
    Rules("trucomano"),
    Rules("argentino", 3),
    Rules("argentino", 4, senas="free", sena_catch=0.3),
    Rules("argentino", 6, pica_pica=True),
    Rules("reglamento", 8, allow_8=True),
]


class Uniform:
    """Plays any legal action, and notes what it was told and asked."""

    def __init__(self, name: str = "uniform") -> None:
        self.name = name
        self.known: set[int] = set()
        self.asked = 0

    def start(self, rows: npt.NDArray[np.int64]) -> None:
        self.known.update(rows.tolist())

    def act(
        self, observations: npt.NDArray[np.int8], masks: npt.NDArray[np.int8], rng: np.random.Generator, rows: npt.NDArray[np.int64]
    ) -> npt.NDArray[np.int64]:
        assert self.known.issuperset(rows.tolist()), "asked in a match that was never announced"
        assert masks.any(axis=1).all()
        self.asked += len(rows)
        return pick_uniform(masks, rng)


def _play(batch: LearnerBatch, masks: npt.NDArray[np.int8], steps: int, seed: int) -> list[npt.NDArray[np.generic]]:
    rng = np.random.default_rng(seed)
    seen: list[npt.NDArray[np.generic]] = []
    for _ in range(steps):
        step = batch.step(pick_uniform(masks, rng))
        masks = step.masks
        seen += [step.observations, step.masks, step.rewards, step.dones, step.earned, *step.episodes]
    return seen


def _same(left: Sequence[npt.NDArray[np.generic]], right: Sequence[npt.NDArray[np.generic]]) -> bool:
    return len(left) == len(right) and all(np.array_equal(a, b) for a, b in zip(left, right, strict=True))


@pytest.mark.parametrize("rules", TABLES, ids=lambda r: f"{r.ruleset}{r.players}")
@pytest.mark.parametrize("learner", ["seat", "side"])
@pytest.mark.parametrize(("episode", "reward"), [("match", "win"), ("match", "shaped"), ("hand", "win"), ("hand", "points")])
def test_rewards_of_an_episode_sum_to_its_outcome(rules: Rules, learner: str, episode: str, reward: str) -> None:
    batch = LearnerBatch(rules, 32, [Uniform()], learner=learner, episode=episode, reward=reward, seed=1)
    _, masks = batch.reset()
    rng = np.random.default_rng(2)
    totals, decisions, results = np.zeros(32), np.zeros(32, dtype=np.int64), []
    for _ in range(150 if episode == "hand" else 700):
        step = batch.step(pick_uniform(masks, rng))
        masks = step.masks
        assert masks.any(axis=1).all()
        totals += step.rewards
        decisions += 1
        ended = step.episodes
        assert np.array_equal(ended.rows, np.flatnonzero(step.dones))
        np.testing.assert_allclose(totals[ended.rows], ended.rewards, atol=1e-4)
        assert np.array_equal(decisions[ended.rows], ended.decisions)
        if reward != "points":
            np.testing.assert_allclose(ended.rewards, ended.results, atol=1e-4)
        totals[ended.rows] = 0
        decisions[ended.rows] = 0
        results += ended.results.tolist()
    assert {-1, 1} <= set(results), "both winning and losing must reach the learner"


def test_the_loser_gets_minus_one_as_the_last_reward() -> None:
    batch = LearnerBatch(Rules("argentino", target=15), 64, [Uniform()], seed=5)
    _, masks = batch.reset()
    rng = np.random.default_rng(0)
    lost = 0
    for _ in range(600):
        step = batch.step(pick_uniform(masks, rng))
        masks = step.masks
        assert np.array_equal(step.rewards[step.dones], step.episodes.results.astype(np.float32))
        assert not step.rewards[~step.dones].any()
        lost += int((step.episodes.results == -1).sum())
    assert lost > 20


def test_the_learner_seat_is_kept_for_a_match_and_every_seat_comes_up() -> None:
    rules = Rules("argentino", 4)
    batch = LearnerBatch(rules, 16, [Uniform()], seed=0)
    _observations, masks = batch.reset()
    rng = np.random.default_rng(0)
    seats = batch.learner_seats
    seen = set(seats.tolist())
    for _ in range(800):
        step = batch.step(pick_uniform(masks, rng))
        masks = step.masks
        running = ~step.dones
        assert np.array_equal(seats[running], batch.learner_seats[running])
        assert np.array_equal(seats[step.dones], step.episodes.seats)
        seats = batch.learner_seats
        seen |= set(seats.tolist())
        views = layout_of(rules).views(step.observations)
        assert views["to_act"][:, 0].all(), "the observation is of the seat that decides"
    assert seen == {0, 1, 2, 3}


def test_a_whole_side_is_asked_only_for_the_other_side() -> None:
    rules = Rules("argentino", 4)
    partner = Uniform("partner")
    side = LearnerBatch(rules, 8, [Uniform()], partners=[partner], learner="side", seed=0)
    _, masks = side.reset()
    _play(side, masks, 100, 0)
    assert partner.asked == 0
    seat = LearnerBatch(rules, 8, [Uniform()], partners=[partner], learner="seat", seed=0)
    _, masks = seat.reset()
    _play(seat, masks, 100, 0)
    assert partner.asked > 0


def test_agents_of_both_sides_have_rows_of_their_own() -> None:
    both = Uniform()
    batch = LearnerBatch(Rules("argentino", 4), 8, [both], learner_seat=0, seed=0)
    batch.reset()
    assert both.known == set(range(16)), "account * size + row"


def test_a_replaced_opponent_finishes_its_matches() -> None:
    old, new = Uniform("old"), Uniform("new")
    batch = LearnerBatch(Rules("argentino"), 32, [old], seed=0)
    _, masks = batch.reset()
    rng = np.random.default_rng(0)
    assert batch.set_opponents([new]) == [1]
    running = batch.opponents
    assert set(running.tolist()) == {0}
    for _ in range(400):
        step = batch.step(pick_uniform(masks, rng))
        masks = step.masks
        assert np.array_equal(step.episodes.opponents, running[step.dones]), "an opponent stays to the end of its match"
        now = batch.opponents
        assert np.array_equal(now[~step.dones], running[~step.dones])
        assert (now[step.dones] == 1).all()
        running = now
    assert (running == 1).all()
    assert batch.set_opponents([new]) == [1], "a known agent keeps its id"
    assert list(batch.agents) == [1], "an agent that no match needs is forgotten"
    assert batch.set_opponents([old]) == [2]


def test_weights_decide_how_often_an_opponent_is_drawn() -> None:
    batch = LearnerBatch(Rules("argentino"), 4000, [Uniform("a"), Uniform("b"), Uniform("c")], [1, 3, 0], seed=0)
    batch.reset()
    share = np.bincount(batch.opponents, minlength=3) / 4000
    assert share[2] == 0
    assert abs(share[0] - 0.25) < 0.03


@pytest.mark.parametrize("rules", TABLES, ids=lambda r: f"{r.ruleset}{r.players}")
def test_restoring_a_saved_state_goes_on_exactly(rules: Rules) -> None:
    first = LearnerBatch(rules, 16, [Uniform("a"), Uniform("b")], [2, 1], reward="shaped", seed=9)
    _, masks = first.reset()
    _play(first, masks, 60, 0)
    first.set_opponents([Uniform("c")])
    state = first.save()
    agents = dict(first.agents)
    again = LearnerBatch(rules, 16, [Uniform()], reward="shaped", seed=1)
    again.reset()
    _observations, masks = again.restore(state, agents)
    assert _same(_play(first, masks, 120, 3), _play(again, masks, 120, 3))
    assert first.reset()[0].tobytes() == again.reset()[0].tobytes()


def test_a_state_is_refused_without_its_agents() -> None:
    batch = LearnerBatch(Rules("argentino"), 4, [Uniform()], seed=0)
    batch.reset()
    with pytest.raises(PoolError, match=r"\[0\]"):
        batch.restore(batch.save(), {})


def test_the_same_seed_gives_the_same_play() -> None:
    plays = []
    for seed in (3, 3, 4):
        batch = LearnerBatch(Rules("argentino"), 8, [Uniform("a"), Uniform("b")], seed=seed)
        _, masks = batch.reset()
        plays.append(_play(batch, masks, 50, 0))
    assert _same(plays[0], plays[1])
    assert not _same(plays[0], plays[2])


def test_reset_without_seed_goes_on_with_new_matches() -> None:
    batch = LearnerBatch(Rules("argentino"), 8, [Uniform()], seed=3)
    starts = [batch.reset()[0].tobytes(), batch.reset()[0].tobytes(), batch.reset(3)[0].tobytes(), batch.reset()[0].tobytes()]
    assert starts[0] != starts[1]
    assert starts[:2] == starts[2:]


def test_an_illegal_action_changes_nothing() -> None:
    batch = LearnerBatch(Rules("argentino"), 4, [Uniform()], seed=0)
    _, masks = batch.reset()
    actions = pick_uniform(masks, np.random.default_rng(0))
    before = batch.save()
    actions[2] = int(np.flatnonzero(masks[2] == 0)[0])
    with pytest.raises(IllegalActionError, match=r"row 2, seat \d, the learner: \w+ is not legal; legal are"):
        batch.step(actions)
    assert all(np.array_equal(before[name], value) for name, value in batch.save().items())


@pytest.mark.parametrize("players", [2, 3, 4])
def test_an_illegal_action_can_be_a_forfeit(players: int) -> None:
    batch = LearnerBatch(Rules("argentino", players), 8, [Uniform()], illegal="forfeit", seed=0)
    _, masks = batch.reset()
    rng = np.random.default_rng(0)
    for step_number in range(30):
        actions = pick_uniform(masks, rng)
        wrong = np.zeros(8, dtype=np.bool_)
        if step_number % 3 == 2:
            wrong[[2, 5]] = True
            actions[2], actions[5] = np.flatnonzero(masks[2] == 0)[-1], 99
        step = batch.step(actions)
        masks = step.masks
        assert step.dones[wrong].all()
        assert (step.rewards[wrong] == -1).all()
        assert np.array_equal(step.episodes.forfeits, wrong[step.episodes.rows])
        assert (step.episodes.results[step.episodes.forfeits] == -1).all()


def test_an_agent_that_breaks_the_rules_is_named() -> None:
    class Cheat(Uniform):
        def act(self, observations, masks, rng, rows):  # type: ignore[no-untyped-def]
            return np.full(len(rows), 6)

    batch = LearnerBatch(Rules("argentino"), 4, [Cheat("cheat")], seed=0)
    with pytest.raises(IllegalActionError, match="cheat: DISCARD_3"):
        batch.reset()

    class Short(Uniform):
        def act(self, observations, masks, rng, rows):  # type: ignore[no-untyped-def]
            return np.zeros(0)

    with pytest.raises(AgentError, match=r"short: its actions are float64 of shape \(0,\): give integers of shape \(\d,\)"):
        LearnerBatch(Rules("argentino"), 4, [Short("short")], seed=0).reset()


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda b: b.step(np.zeros(3, dtype=int)), r"actions are int64 of shape \(3,\): give integers of shape \(4,\)"),
        (lambda b: b.step(np.zeros(4)), "actions are float64"),
        (lambda b: b.step(np.int64(0)), r"of shape \(\)"),
        (lambda b: b.reset_rows(np.array([10**6])), r"row 1000000 is not there: rows are 0\.\.3"),
        (lambda b: b.reset_rows(np.array([-1])), "row -1 is not there"),
        (lambda b: b.reset_rows(np.array([1, 1])), "row 1 comes twice"),
        (lambda b: b.reset_rows(np.array([1.0])), "rows are float64"),
        (lambda b: b.reset_rows(np.array([0, 1]), [5]), r"seeds have shape \(1,\): give one per row, \(2,\)"),
        (lambda b: b.reset_rows(np.array([0]), [-5]), "seed=-5 is not possible"),
        (lambda b: b.reset_rows(np.array([0]), [1.5]), "seed=1.5 is not possible"),
    ],
)
def test_arrays_that_do_not_fit_are_refused_and_nothing_changes(call: Callable[[LearnerBatch], object], words: str) -> None:
    batch = LearnerBatch(Rules("argentino"), 4, [Uniform()], seed=0)
    batch.reset()
    before = batch.save()
    with pytest.raises(ValueError, match=words):
        call(batch)
    assert all(np.array_equal(before[name], value) for name, value in batch.save().items())


def test_nothing_is_played_before_the_first_reset() -> None:
    for illegal in ("raise", "forfeit"):
        batch = LearnerBatch(Rules("argentino"), 4, [Uniform()], illegal=illegal, seed=0)
        with pytest.raises(ValueError, match="row 0 has ended or not begun: reset it before the next step"):
            batch.step(np.zeros(4, dtype=np.int64))
        batch.reset_rows(np.array([0, 1, 3]))
        with pytest.raises(ValueError, match="row 2 has ended or not begun"):
            batch.step(np.zeros(4, dtype=np.int64))


def test_a_damaged_or_foreign_state_is_refused_and_nothing_changes() -> None:
    def saved(rules: Rules, size: int = 4) -> dict[str, npt.NDArray[np.generic]]:
        other = LearnerBatch(rules, size, [Uniform()], seed=1)
        other.reset()
        return other.save()

    agent = Uniform()
    batch = LearnerBatch(Rules("argentino"), 4, [agent], seed=0)
    batch.reset()
    before = batch.save()
    wrong = [saved(Rules("argentino", flor_mode="off")), saved(Rules("argentino"), 5), {}]
    for name, value in before.items():
        wrong.append({other: array for other, array in before.items() if other != name})
        if not value.size:
            continue
        changed = value.copy().reshape(-1)
        changed[len(changed) // 2] = changed[len(changed) // 2] + 1 if value.dtype != np.float64 else 0.5
        wrong.append({**before, name: changed.reshape(value.shape)})
    for state in wrong:
        with pytest.raises(ValueError, match="the saved state is damaged, or not of 4 matches of this table and version"):
            batch.restore(state, {0: agent})
    assert all(np.array_equal(before[name], value) for name, value in batch.save().items())


def test_without_autoreset_a_row_waits() -> None:
    batch = LearnerBatch(Rules("argentino"), 4, [Uniform()], episode="hand", autoreset=False, seed=0)
    _, masks = batch.reset()
    rng = np.random.default_rng(0)
    for _ in range(50):
        step = batch.step(pick_uniform(masks, rng))
        masks = step.masks
        if step.dones.any():
            break
    rows = step.episodes.rows
    assert not masks[rows].any()
    assert np.array_equal(step.observations[rows], step.episodes.observations)
    with pytest.raises(ValueError, match=f"row {rows[0]} has ended"):
        batch.step(np.zeros(4, dtype=np.int64))
    observations, masks = batch.reset_rows(rows, seeds=[7] * len(rows))
    others = np.setdiff1d(np.arange(4), rows)
    assert masks.any(axis=1).all()
    assert np.array_equal(observations[others], step.observations[others])


def test_arrays_are_fresh() -> None:
    batch = LearnerBatch(Rules("argentino"), 4, [Uniform()], seed=0)
    _, masks = batch.reset()
    rng = np.random.default_rng(0)
    kept = []
    for _ in range(30):
        step = batch.step(pick_uniform(masks, rng))
        masks = step.masks
        kept.append((step, [array.copy() for array in (*step[:4], *step.episodes)]))
    assert all(_same([*step[:4], *step.episodes], copies) for step, copies in kept)
    assert all(not np.shares_memory(a[0].observations, b[0].observations) for a, b in pairwise(kept))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"learner": "team"}, "learner='team' is not known: choose one of seat, side"),
        ({"reward": "gold"}, "reward='gold' is not known"),
        ({"learner_seat": 2}, r"learner_seat=2 is not at this table: choose 'random' or 0\.\.1"),
        ({"opponents": []}, "there are no opponents"),
        ({"weights": [1.0, 2.0]}, "2 weights for 1 agents"),
        ({"weights": [-1.0]}, "must be numbers >= 0"),
        ({"size": 0}, "size=0 is not possible"),
    ],
)
def test_a_wrong_argument_is_refused_by_name(change: dict[str, object], message: str) -> None:
    arguments: dict[str, object] = {"rules": Rules("argentino"), "size": 2, "opponents": [Uniform()], **change}
    with pytest.raises(ValueError, match=message):
        LearnerBatch(**arguments)  # type: ignore[arg-type]


# Matches of the learner against itself


@pytest.mark.parametrize("rules", TABLES, ids=lambda r: f"{r.ruleset}{r.players}")
@pytest.mark.parametrize(("episode", "reward"), [("match", "win"), ("match", "shaped"), ("hand", "points")])
def test_in_mirror_matches_every_account_is_paid_its_own_outcome(rules: Rules, episode: str, reward: str) -> None:
    batch = LearnerBatch(rules, 16, [], mirror=1.0, learner="side", episode=episode, reward=reward, seed=1)
    _, masks = batch.reset()
    rng = np.random.default_rng(2)
    accounts = rules.n_accounts
    totals, acted = np.zeros((16, accounts)), np.zeros((16, accounts), dtype=bool)
    ended, paid = 0, set[int]()
    for _ in range(300 if episode == "hand" else 1500):
        acted[np.arange(16), batch.accounts] = True
        seats = batch.learner_seats
        step = batch.step(pick_uniform(masks, rng))
        masks = step.masks
        assert not step.earned[~acted].any(), "only decisions are paid"
        totals += step.earned
        for k, row in enumerate(step.episodes.rows.tolist()):
            own = int(seats[row]) % accounts
            assert step.episodes.opponents[k] == ITSELF
            if acted[row, own]:
                assert totals[row, own] == pytest.approx(step.episodes.rewards[k], abs=1e-4)
            if reward == "points":
                if acted[row].all():
                    assert totals[row].sum() == pytest.approx(0, abs=1e-4)
            else:
                assert all(abs(total) == pytest.approx(1, abs=1e-4) for total in totals[row][acted[row]])
                assert (totals[row] > 0).sum() <= 1
            paid.update(np.sign(totals[row]).astype(int).tolist())
            ended += 1
        totals[step.dones], acted[step.dones] = 0, False
    assert ended > 10 and {-1, 1} <= paid


def test_the_share_of_mirror_matches_is_drawn_and_the_others_are_as_ever() -> None:
    agent = Uniform()
    batch = LearnerBatch(Rules("argentino"), 4000, [agent, Uniform("other")], [3, 1], mirror=0.25, seed=3)
    batch.reset()
    ids = batch.opponents
    assert [float(np.mean(ids == i)) for i in (ITSELF, 0, 1)] == pytest.approx([0.25, 0.5625, 0.1875], abs=0.03)
    seats, asked = batch.learner_seats, batch.seats
    assert np.array_equal(seats[ids != ITSELF], asked[ids != ITSELF])
    assert (seats[ids == ITSELF] != asked[ids == ITSELF]).any(), "in mirror matches any seat decides"


def test_mirror_matches_go_on_exactly_after_a_restore() -> None:
    def make() -> LearnerBatch:
        return LearnerBatch(Rules("argentino", 3), 32, [Uniform()], mirror=0.5, reward="shaped", seed=4)

    batch = make()
    _, masks = batch.reset()
    _play(batch, masks, 100, seed=1)
    state, again = batch.save(), make()
    _, masks = again.restore(state, dict(batch.agents))
    assert _same(_play(batch, masks, 50, seed=2), _play(again, masks, 50, seed=2))


@pytest.mark.parametrize(
    ("arguments", "error", "told"),
    [
        ({"mirror": 1.5}, ValueError, "mirror=1.5 is not possible"),
        ({"mirror": True}, ValueError, "mirror=True is not possible"),
        ({"mirror": float("nan")}, ValueError, "mirror=nan is not possible"),
        ({"mirror": 0.5, "illegal": "forfeit"}, ValueError, "need illegal='raise'"),
        ({"mirror": 0.5}, PoolError, "give at least one agent, or mirror=1"),
    ],
)
def test_mirror_shares_that_cannot_be_are_refused(arguments: dict[str, Any], error: type[Exception], told: str) -> None:
    with pytest.raises(error, match=told):
        LearnerBatch(Rules("argentino"), 2, [], **arguments)
