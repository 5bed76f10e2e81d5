"""The Gymnasium environment with one learner: its contract, opponents, rewards, illegal actions."""

from __future__ import annotations

import copy
import pickle
import warnings
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

import truco_env
from truco_agents.arena import play_match
from truco_env import Action, IllegalActionError, Rules, truco_v0
from truco_env.batch.learner import LearnerBatch
from truco_env.envs.gym import TrucoGym
from truco_env.envs.vector import TrucoVector
from truco_env.errors import ActionError, ArgumentError, CardError, PositionError, RulesError
from truco_env.players.opponents import PoolError
from truco_env.players.protocol import AgentError
from truco_env.players.random import RandomAgent
from truco_env.players.registry import make_agent
from truco_env.render.ansi import render_ansi

TABLES: list[dict[str, Any]] = [
    {"ruleset": "argentino"},
    {"ruleset": "truc_valencia", "reward": "points"},
    {"ruleset": "trucomano", "episode": "hand"},
    {"ruleset": "argentino", "players": 3, "reward": "shaped"},
    {"ruleset": "argentino", "players": 4, "senas": "free", "learner": "side"},
    {"ruleset": "reglamento", "players": 6, "episode": "hand", "reward": "points"},
    {"ruleset": "argentino", "players": 6, "pica_pica": True},
    {"ruleset": "truc_valencia", "players": 8, "deck30": True},
]
every_table = pytest.mark.parametrize("table", TABLES, ids=lambda t: f"{t['ruleset']}{t.get('players', 2)}")


class Folder(RandomAgent):
    """Leaves whenever it may, else says no, else plays its first card."""

    name = "folder"

    def __init__(self) -> None:
        self.started = 0

    def start(self, rows: Any) -> None:
        self.started += 1

    def act(self, observations: Any, masks: Any, rng: Any, rows: Any) -> Any:
        order = [Action.MAZO, Action.NO_QUIERO, Action.FLOR, *range(36)]
        return np.array([next(action for action in order if mask[action]) for mask in masks])


def _run(env: Any, steps: int, seed: int) -> list[Any]:
    rng = np.random.default_rng(seed)
    seen: list[Any] = []
    mask = env.unwrapped.action_masks()
    for _ in range(steps):
        if not mask.any():
            observation, info = env.reset()
        else:
            observation, reward, terminated, truncated, info = env.step(int(rng.choice(np.flatnonzero(mask))))
            seen.append((float(reward), terminated, truncated))
        mask = info["action_mask"]
        seen.append((observation.tobytes(), mask.tobytes(), repr(sorted(info.items()))))
    return seen


@every_table
def test_passes_gymnasiums_check_env_without_a_warning(table: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[str] = []
    monkeypatch.setattr(gymnasium.logger, "warn", lambda message, *args, **kwargs: told.append(message))
    env = gymnasium.make("truco_env/Truco-v0", **table)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_env(env.unwrapped)
    assert not told


@every_table
def test_the_same_seed_gives_the_same_episodes(table: dict[str, Any]) -> None:
    plays = []
    for seed in (4, 4, 5):
        env = gymnasium.make("truco_env/Truco-v0", opponents=["random", Folder()], **table)
        env.reset(seed=seed)
        plays.append(_run(env, 120, 0))
    assert plays[0] == plays[1]
    assert plays[0] != plays[2]


def test_what_agents_draw_does_not_change_the_deals() -> None:
    class Drawer(Folder):
        def act(self, observations: Any, masks: Any, rng: Any, rows: Any) -> Any:
            rng.random(7)
            return super().act(observations, masks, rng, rows)

    deals = []
    for opponent in (Folder(), Drawer()):
        env = TrucoGym(opponents=opponent, learner_seat=0, episode="hand")
        env.reset(seed=1)
        deals.append([(_run(env, 1, 0), env.reset()[0].tobytes()) for _ in range(10)])
    assert deals[0] == deals[1]


@every_table
def test_the_terminal_reward_reaches_the_learner_whoever_ends_the_game(table: dict[str, Any]) -> None:
    env: Any = gymnasium.make("truco_env/Truco-v0", **table).unwrapped
    rng = np.random.default_rng(0)
    results = []
    for episode in range(12 if table.get("episode") != "hand" else 60):
        _, info = env.reset(seed=episode)
        total, terminated, decisions = 0.0, False, 0
        while not terminated:
            _, reward, terminated, truncated, info = env.step(int(rng.choice(np.flatnonzero(info["action_mask"]))))
            total += float(reward)
            decisions += 1
            assert not truncated
        assert info["decisions"] == decisions
        assert not info["action_mask"].any()
        if table.get("reward", "win") == "points":
            if env.rules.legs_to_win == 1:
                assert total == pytest.approx(info["scores"][0] - np.mean(info["scores"][1:]))
        else:
            assert total == pytest.approx(info["result"])
        results.append(info["result"])
    assert {1, -1} <= set(results)


def test_a_whole_side_decides_for_every_seat_of_it() -> None:
    env = TrucoGym(players=4, learner="side", learner_seat=1, opponents=Folder())
    seen = set()
    for episode in range(30):
        _, info = env.reset(seed=episode)
        for _ in range(20):
            seen.add(env._env.agent_selection)
            _, _, terminated, _, info = env.step(int(np.flatnonzero(info["action_mask"])[0]))
            if terminated:
                break
    assert seen == {"player_1", "player_3"}


def test_partners_and_opponents_sit_where_they_belong() -> None:
    opponent, partner = Folder(), Folder()
    opponent.name, partner.name = "opponent", "partner"
    env = TrucoGym(players=4, learner_seat=2, opponents=opponent, partners=[partner])
    _, info = env.reset(seed=0)
    assert (info["seat"], info["opponent"], info["partner"]) == (2, "opponent", "partner")
    assert [agent and agent.name for agent, _ in env._players.values()] == ["partner", "opponent", None, "opponent"]
    assert opponent.started >= 1
    assert partner.started >= 1
    alone = TrucoGym(players=4, learner_seat=2, opponents=opponent)
    assert alone.reset(seed=0)[1]["partner"] == "opponent", "without partners the opponent's agent plays the team-mates"


def test_an_episode_that_ends_before_the_learner_is_asked_is_skipped() -> None:
    env = TrucoGym(episode="hand", learner_seat=0, opponents=Folder(), flor_mode="off")
    for episode in range(20):
        env.reset(seed=episode)
        assert env._env.view("player_0").mano == 0, "where the opponent is mano it folds at once"
    with pytest.raises(PositionError, match="not asked in any of 1000 episodes"):
        env.reset(seed=0, options={"dealer": 0})


def test_the_opponent_is_drawn_by_weight_for_each_episode() -> None:
    first, second = Folder(), Folder()
    first.name, second.name = "first", "second"
    names = []
    env = TrucoGym(opponents=[first, second])
    env.reset(seed=0)
    for _ in range(200):
        names.append(env.reset()[1]["opponent"])
    assert 60 < names.count("first") < 140
    truco_env.register_agent("test-first", lambda rules: first)
    truco_env.register_agent("test-second", lambda rules: second)
    weighted = TrucoGym(opponents={"test-first": 3, "test-second": 1})
    weighted.reset(seed=0)
    names = [weighted.reset()[1]["opponent"] for _ in range(400)]
    assert 260 < names.count("first") < 340


def test_every_learner_seat_comes_up_and_a_fixed_one_is_kept() -> None:
    env = TrucoGym(players=3)
    assert {env.reset(seed=seed)[1]["seat"] for seed in range(40)} == {0, 1, 2}
    fixed = TrucoGym(players=3, learner_seat=1)
    assert {fixed.reset(seed=seed)[1]["seat"] for seed in range(10)} == {1}


def test_positions_can_be_set_up() -> None:
    env = TrucoGym(learner_seat=0, opponents=Folder(), flor_mode="off", reward="points")
    env.reset(seed=0, options={"deals": [["7O 6O 4C", "7B 5B 12C"]], "scores": [20, 3]})
    assert env.action_name(Action.PLAY_2) == "7O"
    _, reward, terminated, _, _ = env.step(Action.TRUCO)
    assert (reward, terminated) == (3.0, False), "1 for the refused truco, 2 for the next hand, in which the folder is mano"
    assert env._env.game.scores == (23, 3)


def test_an_illegal_action_ends_the_episode_by_default() -> None:
    env = TrucoGym(learner_seat=0)
    _, info = env.reset(seed=0)
    wrong = int(np.flatnonzero(info["action_mask"] == 0)[0])
    _, reward, terminated, truncated, info = env.step(wrong)
    assert (reward, terminated, truncated) == (-1.0, True, False)
    assert info["illegal_action"] == wrong
    assert (info["result"], info["scores"], info["hands"], info["decisions"], info["forfeit"]) == (-1, [0, 0], 1, 1, True)
    assert not info["action_mask"].any()
    with pytest.raises(gymnasium.error.ResetNeeded, match="call reset"):
        env.step(0)
    env.reset()


@every_table
def test_infos_of_a_kind_have_the_same_keys(table: dict[str, Any]) -> None:
    """The infos of resets, of steps, and of last steps, however the episode ends: buffers and monitors rely on it."""
    env = TrucoGym(**table)
    rng = np.random.default_rng(0)
    kinds: dict[str, set[tuple[str, ...]]] = {"reset": set(), "step": set(), "last": set()}
    shapes = set()
    for episode in range(30):
        _, info = env.reset(seed=episode)
        kinds["reset"].add(tuple(info))
        over = False
        while not over:
            blunder = episode % 3 == 0 and rng.random() < 0.2
            _, _, over, _, info = env.step(int(rng.choice(np.flatnonzero(info["action_mask"] == (0 if blunder else 1)))))
            assert (info["illegal_action"] >= 0) == blunder
            kinds["last" if over else "step"].add(tuple(info))
        shapes.add(np.shape(info["scores"]))
        assert info["forfeit"] == blunder
    assert {kind: len(keys) for kind, keys in kinds.items()} == {"reset": 1, "step": 1, "last": 1}
    assert len(shapes) == 1
    assert {"result", "scores", "hands", "decisions", "forfeit"} == set(*kinds["last"]) - set(*kinds["step"])


@pytest.mark.parametrize("illegal_action", ["terminate", "resample", "raise"])
@pytest.mark.parametrize(
    "action", [-1, -2, 36, 2**63, 2**64, 7.0, 7.5, True, np.True_, "7", None, np.array([7]), np.array([7, 7]), np.float32(7)], ids=repr
)
def test_what_is_no_action_is_refused_and_changes_nothing(action: Any, illegal_action: str) -> None:
    env = TrucoGym(illegal_action=illegal_action)
    env.reset(seed=0)
    before = pickle.dumps(env)
    with pytest.raises(ActionError, match="is no action: give an integer from 0 to 35"):
        env.step(action)
    assert pickle.dumps(env) == before


def test_integers_of_every_kind_are_actions() -> None:
    for kind in (int, np.int8, np.uint64, np.int64, np.array):
        env = TrucoGym(learner_seat=0)
        _, info = env.reset(seed=0)
        *_, info = env.step(kind(int(info["action_mask"].argmax())))
        assert info["illegal_action"] == -1


def test_an_agent_that_answers_with_floats_is_named() -> None:
    class Floats(Folder):
        name = "floats"

        def act(self, observations: Any, masks: Any, rng: Any, rows: Any) -> Any:
            return masks.argmax(axis=1) + 0.5

    with pytest.raises(ValueError, match="actions of floats are float64"):
        TrucoGym(opponents=Floats(), learner_seat=0).reset(seed=0, options={"dealer": 0})


def test_an_illegal_action_can_be_replaced_or_raised() -> None:
    env = TrucoGym(learner_seat=0, illegal_action="resample")
    _, info = env.reset(seed=0)
    wrong = int(np.flatnonzero(info["action_mask"] == 0)[0])
    _, _, terminated, _, info = env.step(wrong)
    assert info["illegal_action"] == wrong
    assert terminated == ("scores" in info), "it can only have ended by play"
    strict = TrucoGym(learner_seat=0, illegal_action="raise")
    strict.reset(seed=0)
    before = strict._env.state().tobytes()
    with pytest.raises(IllegalActionError, match=r"the learner as player_0: action 3 \(discard_0\) is not legal"):
        strict.step(3)
    assert strict._env.state().tobytes() == before


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"score": [3, 3]}, PositionError, "unknown reset option 'score': did you mean 'scores'"),
        ({"deal": []}, PositionError, "unknown reset option 'deal': did you mean 'deals'"),
        ({"reset_mask": None}, PositionError, "unknown reset option 'reset_mask'"),
        ({"options": 1}, PositionError, "unknown reset option 'options'"),
        ({"scores": [30, 0]}, PositionError, "scores=.* is not possible before a hand"),
        ({"dealer": 2}, PositionError, "dealer=2 is not possible"),
        ({"deals": [["7O 6O 4C", "7O 5B 12C"]]}, CardError, "deal 0: seat 1 has 7O as well as seat 0"),
    ],
)
def test_a_wrong_position_is_refused_and_changes_nothing(options: dict[str, Any], error: type[Exception], message: str) -> None:
    env = TrucoGym()
    env.reset(seed=0)
    before = pickle.dumps(env)
    for seed in (None, 5):
        with pytest.raises(error, match=message):
            env.reset(seed=seed, options=options)
        assert pickle.dumps(env) == before


def test_the_game_is_a_copy_and_the_view_is_the_learners() -> None:
    env = TrucoGym(learner_seat=0, opponents=Folder(), flor_mode="off")
    for look in (lambda: env.game, env.view, env.render):
        with pytest.raises(gymnasium.error.ResetNeeded, match="no episode has begun"):
            look()
    env.reset(seed=0, options={"deals": [["7O 6O 4C", "7B 5B 12C"]]})
    game = env.game
    game.play("truco")
    assert env.game.legal_actions != game.legal_actions
    assert env.view() == env.game.view(0)
    assert set(env.view().held) == {"7O", "6O", "4C"}
    side = TrucoGym(players=4, learner="side", learner_seat=0, opponents="random")
    _, info = side.reset(seed=1)
    seen = set[int]()
    while not seen >= {0, 2}:
        seat = info["to_act"]
        assert side.view() == side.game.view(seat)
        seen.add(seat)
        *_, info = side.step(int(info["action_mask"].argmax()))


def test_an_agent_that_breaks_the_rules_is_named() -> None:
    class Cheat(Folder):
        name = "cheat"

        def act(self, observations: Any, masks: Any, rng: Any, rows: Any) -> Any:
            return np.array([Action.DISCARD_3])

    with pytest.raises(IllegalActionError, match="cheat as player_1"):
        TrucoGym(opponents=Cheat(), learner_seat=0).reset(seed=0, options={"dealer": 0})


def test_returned_arrays_are_fresh() -> None:
    env = TrucoGym()
    observation, info = env.reset(seed=0)
    kept = observation.copy(), info["action_mask"].copy()
    env.step(int(info["action_mask"].argmax()))
    assert np.array_equal(observation, kept[0])
    assert np.array_equal(info["action_mask"], kept[1])


def test_masks_are_given_as_maskable_ppo_wants_them() -> None:
    env: Any = gymnasium.make("truco_env/Truco-v0")
    _, info = env.reset(seed=0)
    masks = env.get_wrapper_attr("action_masks")()
    assert masks.dtype == np.bool_
    assert np.array_equal(masks, info["action_mask"] == 1)


@pytest.mark.parametrize("players", [2, 3, 4])
def test_a_copy_in_mid_game_is_equal_and_independent(players: int) -> None:
    env = TrucoGym(players=players, opponents=["random", Folder()])
    env.reset(seed=2)
    _run(env, 9, 0)
    twin, other = copy.deepcopy(env), pickle.loads(pickle.dumps(env))
    ahead = _run(twin, 60, 1)
    assert _run(other, 60, 1) == ahead == _run(env, 60, 1)


def test_the_rendering_shows_what_the_learner_may_know() -> None:
    env = gymnasium.make("truco_env/Truco-v0", render_mode="ansi", learner_seat=0, opponents=Folder(), flor_mode="off")
    env.reset(seed=0, options={"deals": [["7O 6O 4C", "7B 5B 12C"]]})
    text: Any = env.render()
    assert "7O" in text
    assert "7B" not in text
    whole = gymnasium.make("truco_env/Truco-v0", render_mode="ansi", perspective="all", flor_mode="off", learner_seat=0)
    whole.reset(seed=0, options={"deals": [["7O 6O 4C", "7B 5B 12C"]]})
    assert "7B" in str(whole.render())


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"opponents": "nobody"}, AgentError, "no agent is called 'nobody'"),
        ({"opponents": []}, PoolError, "there are no opponents"),
        ({"opponents": 5}, PoolError, "5 is no agent"),
        ({"opponents": {"random": -1}}, PoolError, "must be numbers >= 0"),
        ({"learner": "team"}, ValueError, "choose one of seat, side"),
        ({"learner_seat": 2}, ValueError, "learner_seat=2 is not at this table"),
        ({"illegal_action": "ignore"}, ValueError, "choose one of terminate, resample, raise"),
        ({"reward": "chips"}, ValueError, "choose one of win, points, shaped"),
        ({"oponents": "random"}, TypeError, "unexpected keyword argument 'oponents'.*did you mean opponents"),
        ({"flor": "off"}, RulesError, "unexpected keyword argument 'flor'.*did you mean"),
    ],
)
def test_a_wrong_argument_is_refused_by_name(arguments: dict[str, Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        gymnasium.make("truco_env/Truco-v0", **arguments)


def test_takes_finished_rules() -> None:
    rules = Rules("truc_valencia", 4)
    assert TrucoGym(rules, 4).rules == rules


def test_a_learner_of_a_whole_side_is_told_and_shown_the_seat_that_decides() -> None:
    env = TrucoGym(players=4, learner="side", learner_seat=0, senas="truthful", flor_mode="off", render_mode="ansi")
    _, info = env.reset(seed=4)
    rng, seen = np.random.default_rng(1), set()
    for _ in range(200):
        seat = info["to_act"]
        assert seat in (0, 2) and info["seat"] == 0
        text = env.render()
        assert text is not None and text == render_ansi(env._env.game, seat, previous=env._env._last_hand)
        seen.add(seat)
        _, _, over, _, info = env.step(int(rng.choice(np.flatnonzero(info["action_mask"]))))
        if over:
            _, info = env.reset()
    assert seen == {0, 2}


def test_nobody_to_play_against_is_refused_by_role() -> None:
    nobody: list[Any] = [None, [], {}]
    for opponents in nobody:
        with pytest.raises(PoolError, match="there are no opponents"):
            TrucoGym(opponents=opponents)
    with pytest.raises(PoolError, match="there are no partners"):
        TrucoGym(players=4, partners=[])


def test_an_agent_made_for_another_table_is_refused() -> None:
    agent = make_agent("bravo", Rules("argentino", 4))
    with pytest.raises(AgentError, match=r"bravo was made for \(argentino, 4 players\), not for \(argentino, 2 players\)"):
        TrucoGym(opponents=agent)
    with pytest.raises(AgentError, match="was made for"):
        play_match(agent, "random", Rules("argentino", 6), groups=2)
    with pytest.raises(AgentError, match="was made for"):
        LearnerBatch(Rules("argentino", 4, senas="free"), 2, [agent])


# What other libraries ask of it.


@pytest.mark.parametrize("make", [TrucoGym, truco_v0.raw_env, truco_v0.env, TrucoVector])
def test_a_keyword_that_trainers_try_is_a_type_error(make: Any) -> None:
    """TorchRL passes frameskip, and takes it away again when Python's words for an unknown keyword are in the text of a TypeError."""
    with pytest.raises(TypeError, match="unexpected keyword argument 'frameskip'"):
        make(frameskip=1)


@pytest.mark.parametrize("make", [TrucoGym, truco_v0.raw_env, truco_v0.env])
def test_a_render_mode_that_is_not_there_is_a_type_error(make: Any) -> None:
    """Stable-Baselines3 asks for rgb_array, and goes on without after a TypeError."""
    with pytest.raises(ArgumentError, match="render_mode='rgb_array' is not possible: choose one of ansi, human, or None"):
        make(render_mode="rgb_array")
    assert issubclass(ArgumentError, TypeError)


def test_action_masks_are_found_through_the_wrappers_of_make() -> None:
    env: Any = gymnasium.make("truco_env/Truco-v0")
    env.reset(seed=0)
    assert np.array_equal(env.get_wrapper_attr("action_masks")(), env.unwrapped.action_masks())
