"""Batch: what a step earns, what an episode's end leaves behind, and the uniform choice."""

from __future__ import annotations

import copy
import os
import pickle
import subprocess
import sys
from collections.abc import Callable
from typing import Final

import numba
import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from truco_env import Batch, IllegalActionError, Rules, decode, pick_uniform
from truco_env.engine.bits import count_bits, gather_bits, spread_bits
from truco_env.engine.legal import nth_action
from truco_env.rules.actions import N_ACTIONS

TABLES = (Rules("argentino", 2), Rules("argentino", 3), Rules("argentino", 4), Rules("trucomano", 2), Rules("truc_valencia", 4))


def started(rules: Rules, **modes: object) -> tuple[Batch, np.random.Generator]:
    batch = Batch(rules, 64, **modes)  # type: ignore[arg-type]
    batch.reset(3)
    return batch, np.random.default_rng(5)


@pytest.mark.parametrize("rules", TABLES, ids=repr)
@pytest.mark.parametrize("reward", ["win", "shaped"])
def test_rewards_of_a_match_sum_to_its_result(rules: Rules, reward: str) -> None:
    batch, rng = started(rules, reward=reward)
    total, ended = np.zeros(batch.rewards.shape), 0
    for _ in range(1500):
        batch.step(pick_uniform(batch.masks, rng))
        total += batch.rewards
        for row in np.flatnonzero(batch.done):
            won = (int(batch.winners[row]) >> np.arange(rules.n_accounts)) & 1
            assert total[row] == pytest.approx(2 * won - 1, abs=1e-5)
            ended += 1
        total[batch.done] = 0
    assert ended > 20


@pytest.mark.parametrize("rules", TABLES, ids=repr)
@pytest.mark.parametrize("reward", ["win", "shaped"])
def test_a_hand_pays_the_sign_of_its_points(rules: Rules, reward: str) -> None:
    batch, rng = started(rules, episode="hand", reward=reward)
    by_points = Batch(rules, 64, episode="hand", reward="points")
    by_points.reset(3)
    total, points, signs = np.zeros(batch.rewards.shape), np.zeros(batch.rewards.shape), set()
    for _ in range(300):
        actions = pick_uniform(batch.masks, rng)
        batch.step(actions)
        by_points.step(actions)
        total += batch.rewards
        points += by_points.rewards
        for row in np.flatnonzero(batch.done):
            if batch.winners[row] == 0:
                assert total[row] == pytest.approx(np.sign(np.round(points[row], 3)), abs=1e-5)
                signs.add(float(np.sign(np.round(points[row, 0], 3))))
        total[batch.done] = 0
        points[batch.done] = 0
    assert {-1.0, 1.0} <= signs


def test_points_are_the_difference_and_zero_sum() -> None:
    batch, rng = started(Rules("argentino", 2), reward="points")
    for _ in range(200):
        before = batch.games["scores"].astype(int)
        batch.step(pick_uniform(batch.masks, rng))
        assert np.allclose(batch.rewards.sum(axis=1), 0)
        on = ~batch.done
        after = batch.games["scores"].astype(int)
        gained = (after - before)[on]
        assert np.array_equal(batch.rewards[on, 0], gained[:, 0] - gained[:, 1])


def test_the_last_view_of_an_episode_is_that_of_the_seat_asked() -> None:
    batch, rng = started(Rules("argentino", 2), episode="hand", keep_finals=True)
    batch.viewers[:] = np.arange(64) % 2
    ended = 0
    for _ in range(40):
        seen = [batch.observe(np.arange(64), np.full(64, seat, dtype=np.int8))[0] for seat in (0, 1)]
        batch.step(pick_uniform(batch.masks, rng))
        for row in np.flatnonzero(batch.done):
            hand = decode(batch.finals[row], batch.rules)["hand"]
            assert hand == decode(seen[row % 2][row], batch.rules)["hand"]
            assert hand != decode(seen[1 - row % 2][row], batch.rules)["hand"]
            ended += 1
    assert ended > 20


def test_an_illegal_action_names_match_seat_and_what_is_legal() -> None:
    batch, _ = started(Rules("argentino", 2))
    before = batch.save()
    actions = np.array([int(np.flatnonzero(mask)[0]) for mask in batch.masks])
    actions[7] = int(np.flatnonzero(batch.masks[7] == 0)[0])
    with pytest.raises(IllegalActionError, match=r"match 7, seat \d: \w+ is not legal; legal are "):
        batch.step(actions)
    assert np.array_equal(before, batch.save())


def test_saved_rows_go_on_the_same_way() -> None:
    batch, rng = started(Rules("argentino", 4))
    for _ in range(30):
        batch.step(pick_uniform(batch.masks, rng))
    state, played = batch.save(), []
    for _ in range(30):
        played.append(pick_uniform(batch.masks, rng))
        batch.step(played[-1])
    end = batch.save()
    batch.restore(state)
    for actions in played:
        batch.step(actions)
    assert np.array_equal(end, batch.save())


def test_a_uniform_choice_is_uniform_and_a_row_without_legal_actions_gives_0() -> None:
    masks = np.zeros((60_000, N_ACTIONS), dtype=np.int8)
    legal = [0, 3, 7, 8, 20, N_ACTIONS - 1]
    masks[1:, legal] = 1
    actions = pick_uniform(masks, np.random.default_rng(1))
    assert actions[0] == 0
    values, counts = np.unique(actions[1:], return_counts=True)
    assert values.tolist() == legal
    assert np.all(np.abs(counts - 10_000) < 400)


@pytest.mark.parametrize("shape", [(N_ACTIONS,), (5, N_ACTIONS - 1), (2, 3, N_ACTIONS), (2, 0)])
def test_a_uniform_choice_refuses_masks_of_another_shape(shape: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match=f"give one row of {N_ACTIONS} for each choice"):
        pick_uniform(np.ones(shape, dtype=np.int8), np.random.default_rng(1))


def test_a_uniform_choice_takes_a_slice_of_masks() -> None:
    masks = np.zeros((4, 2, N_ACTIONS), dtype=np.int8)
    masks[:, 1, 5] = 1
    assert pick_uniform(masks[:, 1], np.random.default_rng(0)).tolist() == [5, 5, 5, 5]


def test_threads_change_nothing_but_the_time() -> None:
    rules = Rules("argentino", 2)
    one, two = Batch(rules, 5000), Batch(rules, 5000, threads=2)
    rng = np.random.default_rng(2)
    one.reset(9)
    two.reset(9)
    for _ in range(60):
        actions = pick_uniform(one.masks, rng)
        one.step(actions)
        two.step(actions)
    two = pickle.loads(pickle.dumps(two))
    two.step(actions := pick_uniform(one.masks, rng))
    one.step(actions)
    assert np.array_equal(one.save(), two.save())
    for name in ("observations", "masks", "seats", "rewards", "done", "winners", "hands"):
        assert np.array_equal(getattr(one, name), getattr(two, name)), name


def test_no_thread_is_refused() -> None:
    with pytest.raises(ValueError, match="threads=0 must be a whole number from 1 on"):
        Batch(Rules("argentino", 2), 4, threads=0)


def legal_actions(batch: Batch) -> np.ndarray:
    return np.asarray(batch.masks.argmax(axis=1))


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda b: b.step(legal_actions(b)[:10]), "actions are int64 of shape \\(10,\\): give integers of shape \\(64,\\)"),
        (lambda b: b.step(legal_actions(b).astype(float)), "actions are float64"),
        (lambda b: b.step(np.zeros((64, 1), dtype=int)), "actions are int64 of shape"),
        (lambda b: b.step_rows(np.array([0, 0]), legal_actions(b)[[0, 0]]), "row 0 comes twice"),
        (lambda b: b.step_rows(np.array([64]), np.array([0])), "row 64 is not there: rows are 0..63"),
        (lambda b: b.observe(np.array([99]), np.array([0])), "row 99 is not there"),
        (lambda b: b.observe(np.array([0]), np.array([9])), "seats must be one of 0..3"),
        (lambda b: b.observe(np.array([0]), np.array([-1])), "seats must be one of 0..3"),
        (lambda b: b.reset_rows(np.array([-1]), np.array([1])), "row -1 is not there"),
        (lambda b: b.reset_rows(np.array([1, 2]), np.array([1])), "give one integer from 0 to 2\\*\\*64 - 1 per row"),
        (lambda b: b.reset_rows(np.array([1]), np.array([-1])), "give one integer from 0"),
        (lambda b: b.reset_rows(np.array([1]), np.array([1.5])), "seeds are float64"),
        (lambda b: b.reset_rows(np.array([1.0]), np.array([1])), "rows are float64"),
        (lambda b: b.step(np.zeros((), dtype=int)), "actions are int64 of shape \\(\\)"),
        (lambda b: b.step(legal_actions(b) > 0), "actions are bool"),
        (lambda b: b.restore(Batch(b.rules, 32).save()), "give uint8 of shape \\(64, "),
        (lambda b: b.restore(b.save()[0]), "give uint8 of shape"),
        (lambda b: b.restore(b.save().astype(float)), "saved matches are float64"),
        (lambda b: b.restore(started(Rules("argentino", 4, flor_mode="off"))[0].save()), "saved match 0 is damaged, of another table"),
        (lambda b: b.restore(np.zeros_like(b.save())), "saved match 0 is damaged"),
        (lambda b: b.restore(np.random.default_rng(1).integers(0, 256, b.save().shape, dtype=np.uint8)), "saved match 0 is damaged"),
    ],
)
def test_arrays_that_do_not_fit_are_refused_and_nothing_changes(call: Callable[[Batch], object], words: str) -> None:
    batch, _ = started(Rules("argentino", 4))
    before = batch.save()
    with pytest.raises(ValueError, match=words):
        call(batch)
    assert np.array_equal(before, batch.save())


def test_a_saved_match_is_refused_when_any_byte_that_play_depends_on_has_changed() -> None:
    batch, rng = started(Rules("argentino", 4))
    for _ in range(20):
        batch.step(pick_uniform(batch.masks, rng))
    saved = batch.save()
    log = batch.games.dtype.fields["log"][1]  # type: ignore[index]
    for byte in (*range(log), *range(saved.shape[1] - 8, saved.shape[1])):
        changed = saved.copy()
        changed[3, byte] ^= 1 << byte % 8
        with pytest.raises(ValueError, match="saved match 3 is damaged"):
            batch.restore(changed)
    assert np.array_equal(batch.save(), saved)
    batch.restore(saved[::-1])
    assert np.array_equal(batch.save(), saved[::-1]), "rows may be mixed, and need not lie one behind the other"


def test_viewers_that_are_no_seats_are_refused() -> None:
    batch, _ = started(Rules("argentino", 2), keep_finals=True)
    before = batch.save()
    for viewer in (-1, 2, 127):
        batch.viewers[5] = viewer
        with pytest.raises(ValueError, match=r"viewers must be seats, 0\.\.1"):
            batch.step(legal_actions(batch))
    assert np.array_equal(before, batch.save())


def test_the_records_of_a_batch_can_only_be_read() -> None:
    batch, _ = started(Rules("argentino", 2))
    with pytest.raises(ValueError, match="read-only"):
        batch.games["to_act"] = 9


def test_rows_may_be_given_in_any_order() -> None:
    one, other = started(Rules("argentino", 4))[0], started(Rules("argentino", 4))[0]
    rows = np.array([5, 3, 60])
    one.step_rows(rows, legal_actions(one)[rows])
    other.step_rows(rows[::-1], legal_actions(other)[rows[::-1]])
    assert np.array_equal(one.save(), other.save())


def test_a_batch_needs_rules() -> None:
    with pytest.raises(TypeError, match="must be a Rules"):
        Batch("argentino", 4)  # type: ignore[arg-type]


def test_a_copy_writes_its_own_buffers() -> None:
    batch, rng = started(TABLES[0], keep_finals=True)
    copies = [copy.deepcopy(batch), pickle.loads(pickle.dumps(batch))]
    before = batch.observations.copy()
    for _ in range(200):
        actions = pick_uniform(copies[0].masks, rng)
        for other in copies:
            other.step(actions)
    assert np.array_equal(batch.observations, before)
    for name in ("observations", "masks", "rewards", "finals"):
        assert np.array_equal(getattr(copies[0], name), getattr(copies[1], name)), name
    assert np.array_equal(copies[0].observations, copies[0].observe(np.arange(64), copies[0].seats)[0])


def test_a_large_batch_plays_as_small_ones_do() -> None:
    rules, rows = Rules("argentino", 2), np.arange(1100)
    large, seeds = Batch(rules, 1100), np.arange(1, 1101, dtype=np.uint64)
    large.reset_rows(rows, seeds)
    parts = [Batch(rules, 550), Batch(rules, 550)]
    for part, half in zip(parts, np.split(seeds, 2), strict=True):
        part.reset_rows(rows[:550], half)
    rng = np.random.default_rng(2)
    for _ in range(100):
        actions = pick_uniform(large.masks, rng)
        large.step(actions)
        for part, own in zip(parts, np.split(actions, 2), strict=True):
            part.step(own)
    assert np.array_equal(large.save(), np.concatenate([part.save() for part in parts]))


_PLAY: Final = """
import hashlib, numpy as np
from truco_env import Batch, Rules, TrucoGym, pick_uniform, truco_v0
digest = hashlib.sha256()
for rules in (Rules(), Rules("argentino", 4, senas="free"), Rules("argentino", 3)):
    batch, rng = Batch(rules, 4), np.random.default_rng(1)
    batch.reset(1)
    for _ in range(60):
        batch.step(pick_uniform(batch.masks, rng))
        digest.update(batch.observations.tobytes() + batch.masks.tobytes() + batch.rewards.tobytes())
for env in (truco_v0.raw_env(reward="shaped"), truco_v0.env("argentino", 4, episode="hand")):
    env.reset(seed=1)
    digest.update(env.state().tobytes())
    for agent in env.agent_iter():
        seen, reward, over, _, _ = env.last()
        digest.update(seen["observation"].tobytes() + repr(float(reward)).encode())
        env.step(None if over else pick_uniform(seen["action_mask"][None], rng)[0])
env = TrucoGym(episode="hand", opponents="random")
seen, info = env.reset(seed=1)
digest.update(seen.tobytes() + info["action_mask"].tobytes())
print(digest.hexdigest())
"""


def test_plain_python_plays_the_same_games_without_a_warning() -> None:
    def play(jit: str) -> str:
        command = [sys.executable, "-W", "error", "-c", _PLAY]
        done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, "NUMBA_DISABLE_JIT": jit}, check=False)
        assert done.returncode == 0, done.stderr
        return done.stdout

    assert play("1") == play("0")


@settings(deadline=None)  # the first example is compiled
@given(st.integers(0, 2**N_ACTIONS - 1), st.integers(0, 40))
def test_a_set_of_actions_and_its_mask_say_the_same(legal: int, start: int) -> None:
    masks = np.full(start + N_ACTIONS + 40, 7, dtype=np.int8)
    actions = [i for i in range(N_ACTIONS) if legal >> i & 1]
    assert _there_and_back(masks, start, legal) == (legal, len(actions), sum(actions))
    assert np.flatnonzero(masks[start : start + N_ACTIONS]).tolist() == actions
    assert masks[start : start + N_ACTIONS].max(initial=0) <= 1
    assert (masks[:start] == 7).all()
    assert (masks[start + N_ACTIONS :] == 7).all()


@numba.njit  # type: ignore[untyped-decorator]
def _there_and_back(masks: npt.NDArray[np.int8], start: int, legal: int) -> tuple[int, int, int]:
    """Write a set as a mask; return what is read of it, and the number and the sum of its actions."""
    spread_bits(legal, masks, start)
    count, total = count_bits(legal), 0
    for n in range(count):
        total += nth_action(legal, n)
    return gather_bits(masks, start), count, total
