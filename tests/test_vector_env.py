"""The Gymnasium vector environment: its contract, autoreset, seeding, illegal actions."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode

from truco_env import IllegalActionError, Rules
from truco_env.envs.vector import TrucoVector
from truco_env.errors import ActionError, ArgumentError, PositionError
from truco_env.observation.masks import pick_uniform
from truco_env.players.random import RandomAgent

TABLES: list[dict[str, Any]] = [
    {"ruleset": "argentino"},
    {"ruleset": "truc_valencia", "reward": "points"},
    {"ruleset": "argentino", "players": 3, "reward": "shaped"},
    {"ruleset": "argentino", "players": 4, "senas": "free", "learner": "side"},
    {"ruleset": "argentino", "players": 6, "pica_pica": True, "episode": "hand"},
]
every_table = pytest.mark.parametrize("table", TABLES, ids=lambda t: f"{t['ruleset']}{t.get('players', 2)}")


def _make(**arguments: Any) -> TrucoVector:
    env = gymnasium.make_vec("truco_env/Truco-v0", **arguments)
    assert isinstance(env, TrucoVector)
    return env


@every_table
def test_follows_the_vector_api(table: dict[str, Any]) -> None:
    env = _make(num_envs=6, **table)
    assert env.metadata["autoreset_mode"] is AutoresetMode.SAME_STEP
    observations, infos = env.reset(seed=0)
    rng = np.random.default_rng(0)
    ended = 0
    for _ in range(150):
        assert env.observation_space.contains(observations)
        assert observations.dtype == np.int8
        mask = infos["action_mask"]
        assert mask.any(axis=1).all()
        assert infos["_action_mask"].all()
        assert np.array_equal(env.action_masks(), mask == 1)
        actions = pick_uniform(mask, rng)
        assert env.action_space.contains(actions)
        observations, rewards, terminations, truncations, infos = env.step(actions)
        assert rewards.shape == terminations.shape == truncations.shape == (6,)
        assert not truncations.any()
        assert ("final_obs" in infos) == bool(terminations.any())
        for row in np.flatnonzero(terminations).tolist():
            ended += 1
            assert env.single_observation_space.contains(infos["final_obs"][row])
            assert infos["_final_obs"][row]
            assert infos["final_info"]["_result"][row]
            assert infos["final_info"]["opponent"][row] == "random"
            assert infos["final_info"]["decisions"][row] > 0
    assert ended > 5


@every_table
def test_the_same_seed_gives_the_same_play(table: dict[str, Any]) -> None:
    plays = []
    for seed in (1, 1, 2):
        env = _make(num_envs=4, **table)
        observations, infos = env.reset(seed=seed)
        rng = np.random.default_rng(0)
        seen = [observations.tobytes()]
        for _ in range(60):
            observations, rewards, terminations, _, infos = env.step(pick_uniform(infos["action_mask"], rng))
            seen += [observations.tobytes(), rewards.tobytes(), terminations.tobytes(), infos["seat"].tobytes()]
        plays.append(seen)
    assert plays[0] == plays[1]
    assert plays[0] != plays[2]


def test_a_list_of_seeds_fixes_each_environment() -> None:
    class First(RandomAgent):
        def act(self, observations: Any, masks: Any, rng: Any, rows: Any) -> Any:
            return masks.argmax(axis=1)

    env = _make(num_envs=3, opponents=First())
    observations, infos = env.reset(seed=[7, 8, 7])
    for _ in range(30):
        assert np.array_equal(observations[0], observations[2])
        assert not np.array_equal(observations[0], observations[1])
        observations, _, _, _, infos = env.step(infos["action_mask"].argmax(axis=1))
    with pytest.raises(ValueError, match="2 seeds for 3 environments"):
        env.reset(seed=[1, 2])


def test_arrays_are_fresh() -> None:
    env = _make(num_envs=3)
    observations, infos = env.reset(seed=0)
    kept = observations.copy(), infos["action_mask"].copy(), infos["seat"].copy()
    env.step(infos["action_mask"].argmax(axis=1))
    assert all(np.array_equal(a, b) for a, b in zip(kept, (observations, infos["action_mask"], infos["seat"]), strict=True))


def test_an_illegal_action_ends_its_episode_only() -> None:
    env = _make(num_envs=4)
    _, infos = env.reset(seed=0)
    actions = infos["action_mask"].argmax(axis=1)
    actions[[1, 2]] = 3, 35
    _, rewards, terminations, _, infos = env.step(actions)
    assert terminations[[1, 2]].all()
    assert (rewards[[1, 2]] == -1).all()
    assert not terminations[[0, 3]].any()
    assert infos["_illegal_action"].tolist() == [False, True, True, False]
    assert infos["illegal_action"].tolist() == [-1, 3, 35, -1]
    assert infos["final_info"]["forfeit"].tolist() == [False, True, True, False]


def test_an_illegal_action_can_be_replaced_or_raised() -> None:
    env = _make(num_envs=4, illegal_action="resample")
    env.reset(seed=0)
    _, _, _, _, infos = env.step(np.array([3, 3, 3, 3]))
    assert "final_info" not in infos or not infos["final_info"]["forfeit"].any()
    assert infos["_illegal_action"].all()
    strict = _make(num_envs=4, illegal_action="raise")
    _, infos = strict.reset(seed=0)
    with pytest.raises(IllegalActionError, match="row 0"):
        strict.step(np.array([3, 3, 3, 3]))
    strict.step(infos["action_mask"].argmax(axis=1))


def test_autoreset_can_be_disabled() -> None:
    env = _make(num_envs=4, autoreset_mode="Disabled", episode="hand")
    assert env.metadata["autoreset_mode"] is AutoresetMode.DISABLED
    assert TrucoVector.metadata["autoreset_mode"] is AutoresetMode.SAME_STEP, "the class keeps its own"
    observations, infos = env.reset(seed=0)
    rng = np.random.default_rng(0)
    terminations = np.zeros(4, dtype=np.bool_)
    while not terminations.any():
        observations, _, terminations, _, infos = env.step(pick_uniform(infos["action_mask"], rng))
    for row in np.flatnonzero(terminations).tolist():
        assert np.array_equal(observations[row], infos["final_obs"][row])
    with pytest.raises(gymnasium.error.ResetNeeded, match=r"environment \d has ended: call reset\(\) before step"):
        env.step(np.zeros(4, dtype=np.int64))
    after, infos = env.reset(options={"reset_mask": terminations})
    assert infos["action_mask"].any(axis=1).all()
    assert np.array_equal(after[~terminations], observations[~terminations])
    for wrong in (np.zeros(4, dtype=np.bool_), np.ones(3, dtype=np.bool_), [True] * 4):
        with pytest.raises(ValueError, match="reset_mask must be a bool array"):
            env.reset(options={"reset_mask": wrong})


@every_table
def test_next_step_autoreset_restarts_in_the_step_after_the_end(table: dict[str, Any]) -> None:
    """Until an episode ends it is the same play as with the other modes; then one step resets, ignores its action and pays nothing."""
    env, other = (_make(num_envs=16, autoreset_mode=mode, **table) for mode in ("NextStep", "Disabled"))
    assert env.autoreset_mode is AutoresetMode.NEXT_STEP is env.metadata["autoreset_mode"]
    observations, infos = env.reset(seed=0)
    assert np.array_equal(observations, other.reset(seed=0)[0])
    rng = np.random.default_rng(0)
    ended, episodes = np.zeros(16, dtype=np.bool_), 0
    for _ in range(150):
        actions = pick_uniform(infos["action_mask"], rng)
        before, was_over = observations, ended
        observations, rewards, ended, _, infos = env.step(actions)
        if not episodes:
            expected = other.step(actions)
            assert np.array_equal(observations, expected[0]) and np.array_equal(rewards, expected[1])
        assert not rewards[was_over].any() and not ended[was_over].any() and not infos["_illegal_action"][was_over].any()
        assert infos["action_mask"][was_over].any(axis=1).all(), "the step after the end begins an episode"
        assert not infos["action_mask"][ended].any(), "at the end nothing is legal"
        assert env.observation_space.contains(observations)
        assert (observations[was_over] != before[was_over]).any(axis=1).all()
        for row in np.flatnonzero(ended).tolist():
            assert np.array_equal(observations[row], infos["final_obs"][row])
            assert infos["final_info"]["decisions"][row] > 0
            episodes += 1
    assert episodes > 10


def test_gymnasiums_vector_wrappers_take_next_step_autoreset() -> None:
    env: Any = _make(num_envs=8, autoreset_mode="NextStep", episode="hand")
    env = gymnasium.wrappers.vector.NormalizeObservation(gymnasium.wrappers.vector.RecordEpisodeStatistics(env))
    _, infos = env.reset(seed=3)
    rng, lengths = np.random.default_rng(0), list[int]()
    for _ in range(60):
        observations, _, terminations, _, infos = env.step(pick_uniform(infos["action_mask"], rng))
        assert np.issubdtype(observations.dtype, np.floating)
        if terminations.any():
            assert np.array_equal(infos["episode"]["l"][terminations], infos["final_info"]["decisions"][terminations])
            lengths += infos["episode"]["l"][terminations].tolist()
    assert len(lengths) > 20


@pytest.mark.parametrize("mode", ["SameStep", "NextStep", "Disabled"])
def test_a_step_before_reset_is_an_error(mode: str) -> None:
    env = _make(num_envs=3, autoreset_mode=mode)
    for _ in range(2):
        with pytest.raises(gymnasium.error.ResetNeeded, match=r"no episode has begun: call reset\(\) before step"):
            env.step(np.zeros(3, dtype=np.int64))
    env.reset(seed=0)
    env.step(env.action_masks().argmax(axis=1))


@pytest.mark.parametrize("illegal_action", ["terminate", "resample", "raise"])
@pytest.mark.parametrize(
    ("actions", "error", "message"),
    [
        (np.zeros(4), ValueError, r"actions are float64 of shape \(4,\): give integers of shape \(4,\)"),
        (np.array([7.9, 7, 7, 7]), ValueError, "actions are float64"),
        (np.ones(4, dtype=np.bool_), ValueError, "actions are bool"),
        (7, ValueError, r"of shape \(\)"),
        (np.array([7]), ValueError, r"of shape \(1,\)"),
        (np.zeros((4, 1), dtype=np.int64), ValueError, r"of shape \(4, 1\)"),
        (["7", "7", "7", "7"], ValueError, "give integers"),
        (np.array([7, 7, -2, 7]), ActionError, "environment 2: -2 is no action: give an integer from 0 to 35"),
        (np.array([7, 7, 7, 36]), ActionError, "environment 3: 36 is no action"),
        (np.array([2**64 - 1] * 4, dtype=np.uint64), ActionError, "is no action"),
    ],
)
def test_what_is_no_action_is_refused_and_changes_nothing(actions: Any, error: type[Exception], message: str, illegal_action: str) -> None:
    env = _make(num_envs=4, illegal_action=illegal_action)
    env.reset(seed=0)
    before = env.batch.save()
    with pytest.raises(error, match=message):
        env.step(actions)
    after = env.batch.save()
    assert all(np.array_equal(before[name], after[name]) for name in before)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"score": [0, 0]}, "unknown reset option 'score': did you mean 'scores'"),
        ({"scores": [3, 3]}, "reset option 'scores' is for one match: the vector environment sets up no positions"),
        ({"reset_masks": np.ones(4, dtype=np.bool_)}, "unknown reset option 'reset_masks': did you mean 'reset_mask'"),
    ],
)
def test_an_unknown_key_of_reset_is_refused_by_name(options: dict[str, Any], message: str) -> None:
    env = _make(num_envs=4)
    env.reset(seed=0)
    before = env.batch.save()
    with pytest.raises(PositionError, match=message):
        env.reset(seed=1, options=options)
    after = env.batch.save()
    assert all(np.array_equal(before[name], after[name]) for name in before)


def test_what_the_constructor_does_not_take_is_named() -> None:
    for mode in ("ansi", "human", "rgb_array"):
        with pytest.raises(ArgumentError, match=f"render_mode='{mode}' is not possible: this environment renders nothing, leave it out"):
            _make(num_envs=2, render_mode=mode)
    _make(num_envs=2, render_mode=None)
    with pytest.raises(TypeError, match=r"TrucoVector got an unexpected keyword argument 'oponents'.*did you mean opponents"):
        _make(num_envs=2, oponents="random")
    with pytest.raises(ValueError, match="autoreset_mode='Later' is not known: choose one of NextStep, SameStep, Disabled"):
        _make(num_envs=2, autoreset_mode="Later")
    with pytest.raises(TypeError, match="give either a Rules or"):
        _make(num_envs=2, ruleset=Rules("argentino"), target=15)


def test_the_masks_follow_a_batch_that_was_restored() -> None:
    env = _make(num_envs=8)
    env.reset(seed=0)
    saved = env.batch.save()
    masks = env.action_masks()
    for _ in range(7):
        env.step(env.action_masks().argmax(axis=1))
    assert not np.array_equal(env.action_masks(), masks)
    env.batch.restore(saved, dict(env.batch.agents))
    assert np.array_equal(env.action_masks(), masks)


def test_the_pool_can_be_replaced_while_matches_run() -> None:
    late = RandomAgent()
    late.name = "late"
    env = _make(num_envs=8, episode="hand")
    _, infos = env.reset(seed=0)
    env.batch.set_opponents([late])
    rng = np.random.default_rng(0)
    names = set()
    for _ in range(60):
        _, _, terminations, _, infos = env.step(pick_uniform(infos["action_mask"], rng))
        if terminations.any():
            names |= set(infos["final_info"]["opponent"][terminations])
    assert names == {"random", "late"}


def test_single_environments_can_be_vectorised_too() -> None:
    env = gymnasium.make_vec("truco_env/Truco-v0", num_envs=2, vectorization_mode="sync", players=3)
    _, infos = env.reset(seed=0)
    assert infos["action_mask"].shape == (2, 36)
    env.step(infos["action_mask"].argmax(axis=1))


def test_takes_finished_rules() -> None:
    assert TrucoVector(2, Rules("argentino", 4)).layout.players == 4


def test_who_decides_and_who_was_the_partner_are_told() -> None:
    env = TrucoVector(32, players=4, partners=[RandomAgent()], episode="hand")
    _, infos = env.reset(seed=3)
    assert np.array_equal(infos["to_act"], infos["seat"])
    for _ in range(30):
        *_, infos = env.step(infos["action_mask"].argmax(axis=1))
    side = TrucoVector(32, players=4, learner="side", episode="hand")
    seen = set()
    _, other = side.reset(seed=3)
    for _ in range(30):
        seen |= set(((other["to_act"] - other["seat"]) % 4).tolist())
        *_, other = side.step(other["action_mask"].argmax(axis=1))
        assert "partner" not in other.get("final_info", {})
    assert seen == {0, 2}
    while "final_info" not in infos:
        *_, infos = env.step(infos["action_mask"].argmax(axis=1))
    ended = infos["_final_info"]
    assert set(infos["final_info"]["partner"][ended]) == {"random"}
