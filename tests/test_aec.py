"""The PettingZoo environment: its contract, seeding, copying, rewards, set-up of positions, illegal actions."""

from __future__ import annotations

import copy
import doctest
import os
import pickle
import subprocess
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pettingzoo
import pytest
from pettingzoo.test import api_test, render_test, seed_test
from pettingzoo.utils import wrappers

from truco_env import Action, Game, Rules, truco_v0
from truco_env.batch.batch import Batch
from truco_env.errors import ActionError, CardError, IllegalActionError, PositionError, RulesError

TABLES: list[dict[str, Any]] = [
    {"ruleset": "argentino"},
    {"ruleset": "reglamento", "scoring_time": "end_of_hand"},
    {"ruleset": "truc_valencia", "reward": "points"},
    {"ruleset": "trucomano", "best_of": 3},
    {"ruleset": "argentino", "players": 3, "reward": "shaped"},
    {"ruleset": "argentino", "players": 4, "senas": "free", "sena_catch": 0.4},
    {"ruleset": "argentino", "players": 6, "pica_pica": True},
    {"ruleset": "truc_valencia", "players": 6},
    {"ruleset": "reglamento", "players": 8, "allow_8": True},
]
#: What somebody may take for an action, and is none.
NO_ACTIONS: list[Any] = [-1, -2, 36, 2**31, -(2**63), 2**63, 10**5000, np.uint64(2**64 - 2), True, False, np.True_]
NO_ACTIONS += [1.0, np.float32(1), float("nan"), "truco", b"1", None, (1,), np.array([1, 1])]
every_table = pytest.mark.parametrize("table", TABLES, ids=lambda t: f"{t['ruleset']}{t.get('players', 2)}")


def _pick(rng: np.random.Generator, observation: dict[str, Any]) -> int:
    return int(rng.choice(np.flatnonzero(observation["action_mask"])))


def _record(env: Any, steps: int, seed: int) -> list[Any]:
    """Play randomly, through several episodes, and return everything that could be seen."""
    rng = np.random.default_rng(seed)
    seen: list[Any] = []
    for _ in range(steps):
        if not env.agents:
            env.reset()
        observation, reward, terminated, truncated, info = env.last()
        seen.append((env.agent_selection, observation["observation"].tobytes(), observation["action_mask"].tobytes()))
        seen.append((reward, terminated, truncated, repr(info), sorted(env.rewards.items())))
        env.step(None if terminated or truncated else _pick(rng, observation))
    return seen


def _play_out(env: Any, rng: np.random.Generator) -> dict[str, float]:
    """Play the running episode to its end and return every agent's last reward."""
    final: dict[str, float] = {}
    while env.agents:
        observation, reward, terminated, truncated, _ = env.last()
        if terminated or truncated:
            final[env.agent_selection] = reward
            env.step(None)
        else:
            env.step(_pick(rng, observation))
    return final


@every_table
@pytest.mark.parametrize("make", [truco_v0.env, truco_v0.raw_env])
def test_passes_pettingzoo_api_test(make: Callable[..., Any], table: dict[str, Any]) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for expected in ("Observation is not a NumPy array", "Observation space for each agent probably should be"):
            warnings.filterwarnings("ignore", message=expected)
        api_test(make(**table), num_cycles=300)
        api_test(make(episode="hand", **table), num_cycles=60)


@every_table
def test_passes_pettingzoo_seed_test(table: dict[str, Any]) -> None:
    seed_test(lambda: truco_v0.env(**table), num_cycles=200)
    seed_test(lambda: truco_v0.raw_env(**table), num_cycles=200)


def test_passes_pettingzoo_render_test(capsys: pytest.CaptureFixture[str]) -> None:
    render_test(truco_v0.env)
    assert "seat" in capsys.readouterr().out, "human mode writes the table"


def test_is_registered_with_pettingzoo() -> None:
    if not hasattr(pettingzoo, "register"):
        pytest.skip("this PettingZoo has no registry")
    env = pettingzoo.make("aec", "truco_env/truco-v0", players=4)
    env.reset(seed=1)
    assert len(env.agents) == 4


@every_table
def test_the_same_seed_gives_the_same_episodes_and_another_seed_others(table: dict[str, Any]) -> None:
    plays = []
    makes: list[tuple[Callable[..., Any], int]] = [(truco_v0.raw_env, 5), (truco_v0.raw_env, 5), (truco_v0.env, 5), (truco_v0.raw_env, 6)]
    for make, seed in makes:
        env = make(**table)
        env.reset(seed=seed)
        plays.append(_record(env, 150, 0))
    assert plays[0] == plays[1] == plays[2]
    assert plays[0] != plays[3]


def test_a_seed_means_the_same_in_every_process() -> None:
    program = (
        "import zlib; from truco_env import truco_v0; e = truco_v0.raw_env(players=4); e.reset(seed=3)\n"
        "for _ in range(40): e.step(int(e.last()[0]['action_mask'].argmax()))\n"
        "print(zlib.crc32(e.state().tobytes()))"
    )
    outputs = {
        subprocess.run(
            [sys.executable, "-c", program],
            env={"PYTHONHASHSEED": seed, "PYTHONPATH": os.pathsep.join(sys.path)},
            capture_output=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(outputs) == 1


def test_reset_without_seed_goes_on_with_the_stream() -> None:
    env = truco_v0.raw_env()
    env.reset(seed=1)
    first = env.state().tobytes()
    env.reset()
    second = env.state().tobytes()
    env.reset(seed=1)
    assert env.state().tobytes() == first != second
    env.reset()
    assert env.state().tobytes() == second


def test_an_environment_without_seed_draws_one() -> None:
    deals = set()
    for _ in range(3):
        env = truco_v0.raw_env()
        env.reset()
        deals.add(env.state().tobytes())
    assert len(deals) == 3


@every_table
def test_rewards_reach_every_agent_of_both_sides(table: dict[str, Any]) -> None:
    table = {**table, "reward": "win"}
    env = truco_v0.env(**table)
    rng = np.random.default_rng(0)
    env.reset(seed=2)
    results = set()
    for _ in range(6):
        env.reset()
        raw = env.unwrapped
        final = _play_out(env, rng)
        winner = raw.game.winner
        winners = {winner} if isinstance(winner, int) else set(winner)
        assert len(final) == raw.rules.players
        for agent, reward in final.items():
            seat = int(agent[-1])
            account = seat if raw.rules.gallo else seat & 1
            assert reward == (1.0 if account in winners else -1.0)
        results.add(tuple(sorted(winners)))
    assert len(results) > 1


@every_table
@pytest.mark.parametrize("reward", ["points", "shaped"])
def test_rewards_of_an_episode_sum_to_the_outcome(table: dict[str, Any], reward: str) -> None:
    env = truco_v0.raw_env(**{**table, "reward": reward})
    rng = np.random.default_rng(1)
    env.reset(seed=4)
    for _ in range(4):
        env.reset()
        totals = dict.fromkeys(env.possible_agents, 0.0)
        scores = np.zeros(env.rules.n_accounts)
        while True:
            observation, _, terminated, _, info = env.last()
            if terminated:
                break
            env.step(_pick(rng, observation))
            for agent, value in env.rewards.items():
                totals[agent] += value
        for seat, agent in enumerate(env.possible_agents):
            account = seat if env.rules.gallo else seat & 1
            if reward == "shaped":
                assert totals[agent] == pytest.approx(1.0 if info["winners"][account] else -1.0)
            elif env.rules.legs_to_win == 1:
                scores = np.array(info["scores"])
                rest = np.delete(scores, account)
                assert totals[agent] == pytest.approx(scores[account] - rest.mean())
        by_account = {(seat if env.rules.gallo else seat & 1): totals[agent] for seat, agent in enumerate(env.possible_agents)}
        if reward == "points":
            assert sum(by_account.values()) == pytest.approx(0)


def test_a_hand_is_won_by_more_points() -> None:
    env = truco_v0.raw_env(episode="hand", flor_mode="off")
    deal = ["7O 6O 4C", "7B 5B 12C"]
    env.reset(options={"deals": [deal]})
    for action in (Action.ENVIDO, Action.QUIERO, Action.TRUCO, Action.NO_QUIERO):
        env.step(action)
    assert env.rewards == {"player_0": 1.0, "player_1": -1.0}
    assert env.infos["player_1"] == {"scores": [3, 0], "won": [0, 0], "winners": [False, False], "hands": 1}
    env.reset(options={"deals": [deal], "scores": [0, 9]})
    for action in (Action.TRUCO, Action.NO_QUIERO):
        env.step(action)
    assert env.rewards == {"player_0": 1.0, "player_1": -1.0}, "points of this hand, not of the match before it"


def test_rewards_are_given_once_and_cumulated_to_the_agents_next_turn() -> None:
    env = truco_v0.raw_env(reward="points", flor_mode="off")
    env.reset(options={"deals": [["7O 6O 4C", "7B 5B 12C"]]})
    env.step(Action.ENVIDO)
    env.step(Action.QUIERO)
    assert env.rewards == {"player_0": 2.0, "player_1": -2.0}
    assert env.agent_selection == "player_0"
    assert env.last()[1] == 2.0
    env.step(Action.PLAY_2)
    assert env.rewards == {"player_0": 0.0, "player_1": 0.0}
    assert env.last()[1] == -2.0, "player_1 learns at its next turn what it lost meanwhile"
    env.step(Action.PLAY_0)
    assert env.last()[1] == 0.0


@every_table
@pytest.mark.parametrize("make", [truco_v0.env, truco_v0.raw_env])
@pytest.mark.parametrize("pickled", [False, True])
def test_a_copy_in_mid_game_is_equal_and_independent(make: Callable[..., Any], table: dict[str, Any], *, pickled: bool) -> None:
    env = make(**table)
    env.reset(seed=3)
    for steps in (0, 1, 7, 40):
        _record(env, steps, 1)
        twin = pickle.loads(pickle.dumps(env)) if pickled else copy.deepcopy(env)
        before = env.unwrapped._table.raw.tobytes()
        ahead = _record(twin, 60, 2)
        assert env.unwrapped._table.raw.tobytes() == before, "playing the copy leaves the original alone"
        assert _record(env, 60, 2) == ahead


def test_a_copy_can_be_made_at_any_moment() -> None:
    env = truco_v0.env(episode="hand")
    assert copy.deepcopy(env).possible_agents == env.possible_agents, "before the first reset"
    env.reset(seed=1)
    rng = np.random.default_rng(0)
    while not env.terminations["player_0"]:
        env.step(_pick(rng, env.last()[0]))
    twin = pickle.loads(pickle.dumps(env))
    assert twin.terminations == env.terminations
    for agent in env.possible_agents:
        assert np.array_equal(twin.observe(agent)["observation"], env.observe(agent)["observation"])
    twin.step(None)
    assert len(env.agents) == 2
    assert len(twin.agents) == 1


def test_a_pickle_of_another_engine_version_is_played_again() -> None:
    env = truco_v0.raw_env(players=3)
    env.reset(seed=3, options={"scores": [4, 5, 6]})
    _record(env, 60, 1)
    state = env.__getstate__()
    state["engine"], state["record"] = "another", bytes(len(state["record"]))
    twin = truco_v0.raw_env.__new__(truco_v0.raw_env)
    twin.__setstate__(copy.deepcopy(state))
    assert twin._table.raw.tobytes() == env._table.raw.tobytes()
    assert _record(twin, 60, 2) == _record(env, 60, 2)


@every_table
def test_observing_changes_nothing_and_gives_fresh_arrays(table: dict[str, Any]) -> None:
    env = truco_v0.raw_env(**table)
    env.reset(seed=3)
    rng = np.random.default_rng(0)
    for _ in range(120):
        if env.terminations[env.agent_selection]:
            env.reset()
        before = env._table.raw.tobytes(), env.agent_selection
        views = {}
        for agent in env.possible_agents:
            view = env.observe(agent)
            views[agent] = (view["observation"].tobytes(), view["action_mask"].tobytes())
            assert env.observation_space(agent).contains(view)
            assert view["action_mask"].any() == (agent == env.agent_selection)
            view["observation"][:] = 99
            view["action_mask"][:] = 1
        assert (env._table.raw.tobytes(), env.agent_selection) == before
        for agent in env.possible_agents:
            view = env.observe(agent)
            assert (view["observation"].tobytes(), view["action_mask"].tobytes()) == views[agent]
        env.step(_pick(rng, env.observe(env.agent_selection)))


@every_table
def test_plays_like_the_batch(table: dict[str, Any]) -> None:
    arguments = {name: value for name, value in table.items() if name != "reward"}
    rules = Rules(**arguments)
    env = truco_v0.raw_env(rules, reward="shaped", players=rules.players)
    env.reset(seed=11)
    batch = Batch(rules, 1, reward="shaped")
    batch.reset_rows(np.zeros(1, dtype=np.int64), np.array([env._table.games["seed"][0]], dtype=np.uint64))
    rng = np.random.default_rng(3)
    for _ in range(400):
        observation = env.observe(env.agent_selection)
        assert env.agent_selection == f"player_{batch.seats[0]}"
        assert np.array_equal(observation["observation"], batch.observations[0])
        assert np.array_equal(observation["action_mask"], batch.masks[0])
        action = _pick(rng, observation)
        env.step(action)
        batch.step(np.array([action]))
        for seat, agent in enumerate(env.possible_agents):
            assert env.rewards[agent] == pytest.approx(batch.rewards[0, seat if rules.gallo else seat & 1], abs=1e-6)
        assert env.terminations["player_0"] == batch.done[0]
        if batch.done[0]:
            break


@every_table
def test_the_game_by_name_is_the_same_game(table: dict[str, Any]) -> None:
    env = truco_v0.raw_env(**table)
    env.reset(seed=6)
    rng = np.random.default_rng(4)
    for step in range(200):
        if env.terminations["player_0"]:
            env.reset()
        env.step(_pick(rng, env.observe(env.agent_selection)))
        if step % 23 == 0:
            game = env.game
            assert game.table.raw.tobytes() == env._table.raw.tobytes()
            assert Game.from_notation(game.notation()).table.raw.tobytes() == env._table.raw.tobytes()
    mine = env.game
    before = env._table.raw.tobytes()
    if not mine.hand_over:
        mine.play(mine.legal_actions[0])
    assert env._table.raw.tobytes() == before, "the game handed out is a copy"


def test_given_deals_are_the_first_hands_of_the_match() -> None:
    deals = [["7O 6O 4C", ["7B", "5B", "12C"]], ["1E 1B 7E", "4O 5O 6C"]]
    env = truco_v0.raw_env(flor_mode="off")
    env.reset(seed=1, options={"deals": deals, "scores": [3, 4]})
    assert env.agent_selection == "player_0"
    assert env.view("player_1").dealt == ("5B", "7B", "12C")
    assert env.game.scores == (3, 4)
    env.step(Action.MAZO)
    assert env.game.scores == (3, 6)
    assert env.view("player_0").dealt == ("1E", "1B", "7E")
    assert env.agent_selection == "player_1", "the deal has passed on"
    env.step(Action.MAZO)
    drawn = env.view("player_0").dealt
    env.reset(seed=1, options={"deals": [deals[1], deals[0]], "scores": [3, 4]})
    env.step(Action.MAZO)
    env.step(Action.MAZO)
    assert env.view("player_0").dealt == drawn, "later deals are those of the seed, whatever was given and played"
    assert env._table.raw.tobytes() == env.game.table.raw.tobytes()


def test_a_copy_keeps_the_deals_still_to_come() -> None:
    env = truco_v0.env(flor_mode="off")
    env.reset(options={"deals": [["7O 6O 4C", "7B 5B 12C"], ["1E 1B 7E", "4O 5O 6C"]]})
    twin = copy.deepcopy(env)
    twin.step(Action.MAZO)
    assert twin.unwrapped.view("player_0").dealt == ("1E", "1B", "7E")


def test_gallo_and_pica_pica_positions_can_be_set_up() -> None:
    env = truco_v0.raw_env(players=3)
    env.reset(options={"deals": [["4E 5B 6O", "4B 5O 6C", "4O 5C 6E 7B"], ["1E 2B 3O 4C", "1B 2O 3C", "1O 2C 3E"]], "scores": [1, 2, 3]})
    assert env.agent_selection == "player_2"
    assert env.view("player_2").phase == "discard"
    env.step(Action.DISCARD_0)
    assert env.game.scores == (1, 2, 3)
    pica = truco_v0.raw_env(players=6, pica_pica=True)
    pica.reset(seed=0, options={"kind": "pica", "scores": [10, 9], "dealer": 2})
    assert pica.view("player_3").kind == "pica"
    assert pica.agent_selection == "player_3"
    legs = truco_v0.raw_env("truc_valencia")
    legs.reset(options={"won": [1, 0]})
    assert legs.game.won == (1, 0)


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"deals": [["7O 6O 4C", "7B 5B 7O"]]}, CardError, "deal 0: seat 1 has 7O as well as seat 0"),
        ({"deals": [["7O 6O 4C", "7B 5B 12C"], ["7O 6O", "7B 5B 12C"]]}, CardError, "deal 1: seat 0 must have three cards"),
        ({"deals": ["7O 6O 4C", "7B 5B 12C"]}, CardError, "deal 0: a deal at this table is 2 hands"),
        ({"deals": "7O 6O 4C"}, PositionError, "deals='7O 6O 4C' is not possible"),
        ({"deals": 5}, PositionError, "deals=5 is not possible"),
        ({"dealer": 2}, PositionError, "dealer=2 is not possible"),
        ({"dealer": "player_0"}, PositionError, "dealer='player_0' is not possible"),
        ({"scores": [30, 0]}, PositionError, "not possible before a hand"),
        ({"scores": [1, 2, 3]}, PositionError, "one for each side"),
        ({"won": [1, 0]}, PositionError, "legs won=1 is not possible"),
        ({"kind": "pica"}, PositionError, "kind='pica' is not possible at this table: it is normal"),
        (
            {"score": [1, 2]},
            PositionError,
            "unknown reset option 'score': did you mean 'scores'. choose from deals, dealer, scores, won, kind",
        ),
        ({"deal": None}, PositionError, "unknown reset option 'deal': did you mean 'deals'?"),
        ({7: 1}, PositionError, "unknown reset option 7: choose from deals"),
        ([("scores", 1)], PositionError, "give a mapping from names to values"),
    ],
)
def test_a_wrong_position_is_one_line_and_changes_nothing(options: dict[str, Any], error: type[Exception], message: str) -> None:
    env = truco_v0.env()
    env.reset(seed=2)
    _record(env, 5, 0)
    twin = copy.deepcopy(env)
    with pytest.raises(error, match=message) as caught:
        env.reset(options=options)
    assert "\n" not in str(caught.value)
    with pytest.raises(error):
        env.reset(seed=77, options=options)
    assert _record(env, 100, 1) == _record(twin, 100, 1)


def test_the_key_of_pettingzoos_own_test_and_options_of_none_are_left_alone() -> None:
    env = truco_v0.raw_env()
    env.reset(seed=1)
    plain = env.state()
    env.reset(seed=1, options={"options": 1, "scores": None})
    assert np.array_equal(env.state(), plain)


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"ruleset": "mus"}, RulesError, "unknown ruleset 'mus'"),
        ({"players": 5}, RulesError, "players=5 is not possible"),
        ({"flor": True}, RulesError, "unexpected keyword argument 'flor'"),
        ({"episode": "game"}, ValueError, "episode='game' is not known: choose one of match, hand"),
        ({"reward": "chips"}, ValueError, "choose one of win, points, shaped"),
        ({"render_mode": "rgb_array"}, ValueError, "choose one of ansi, human"),
        ({"perspective": 2}, ValueError, "choose a seat from 0 to 1, or 'all'"),
        ({"perspective": "player_0"}, ValueError, "choose a seat"),
    ],
)
def test_a_wrong_argument_is_refused_by_name(arguments: dict[str, Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        truco_v0.env(**arguments)


def test_an_illegal_action_is_refused_and_changes_nothing() -> None:
    env = truco_v0.raw_env(flor_mode="off")
    env.reset(options={"deals": [["7O 6O 4C", "7B 5B 12C"]]})
    before = env._table.raw.tobytes()
    with pytest.raises(
        IllegalActionError,
        match=r"player_0: action 18 \(quiero\) is not legal in phase turn; legal are 0 \(4C\), 1 \(6O\), 2 \(7O\), 7 \(truco\)",
    ):
        env.step(Action.QUIERO)
    for wrong in NO_ACTIONS:
        with pytest.raises(ActionError, match="is no action: give an integer from 0 to 35"):
            env.step(wrong)
    assert env._table.raw.tobytes() == before
    env.step(np.uint64(0))
    assert env.agent_selection == "player_1"


def _stock(**arguments: Any) -> Any:
    env: Any = truco_v0.raw_env(**arguments)
    env = wrappers.TerminateIllegalWrapper(env, illegal_reward=-1)
    return wrappers.OrderEnforcingWrapper(wrappers.AssertOutOfBoundsWrapper(env))


@pytest.mark.parametrize("players", [2, 3, 4])
def test_env_behaves_like_pettingzoos_own_wrappers(players: int, capfd: pytest.CaptureFixture[str]) -> None:
    ours: Any = truco_v0.env(players=players)
    stock = _stock(players=players)
    rng = np.random.default_rng(5)
    for episode in range(6):
        for env in (ours, stock):
            env.reset(seed=episode)
        for step in range(60):
            if not ours.agents:
                break
            mine, theirs = ours.last(), stock.last()
            assert mine[1:] == theirs[1:]
            assert np.array_equal(mine[0]["observation"], theirs[0]["observation"])
            assert (ours.agent_selection, ours.agents, ours.rewards) == (stock.agent_selection, stock.agents, stock.rewards)
            assert (ours.terminations, ours.truncations) == (stock.terminations, stock.truncations)
            dead = mine[2] or mine[3]
            illegal = not dead and step == 20 + episode
            wanted = np.flatnonzero(mine[0]["action_mask"] == (0 if illegal else 1))
            action = None if dead else int(rng.choice(wanted))
            for env in (ours, stock):
                env.step(action)
        assert ours.agents == stock.agents
    for env in (ours, stock):
        env.reset(seed=0)
        for wrong in NO_ACTIONS if env is ours else (36, -1, None, 0.5):
            with pytest.raises(AssertionError, match="action is not in action space"):
                env.step(wrong)


def test_after_an_illegal_move_the_next_episode_is_sound() -> None:
    env = truco_v0.env(players=4)
    env.reset(seed=1)
    observation = env.last()[0]
    culprit = env.agent_selection
    env.step(int(np.flatnonzero(observation["action_mask"] == 0)[0]))
    final = _play_out(env, np.random.default_rng(0))
    assert final == {agent: (-1.0 if agent == culprit else 0.0) for agent in env.possible_agents}
    env.reset()
    assert env.agents == env.possible_agents
    assert set(_play_out(env, np.random.default_rng(0)).values()) == {-1.0, 1.0}


def test_calls_in_a_wrong_order_are_refused() -> None:
    env = truco_v0.env()
    for name in ("agents", "agent_selection", "rewards", "terminations", "truncations", "infos"):
        with pytest.raises(AttributeError, match="before reset"):
            getattr(env, name)
    for call in (lambda: env.step(0), env.last, env.state, lambda: env.observe("player_0")):
        with pytest.raises(AssertionError, match="reset"):
            call()
    env.reset(seed=0)
    with pytest.raises(AssertionError, match="need to call step"):
        for _ in env.agent_iter():
            pass


@pytest.mark.parametrize(
    "call",
    [
        lambda env: env.step(0),
        lambda env: env.step(None),
        lambda env: env.last(),
        lambda env: env.state(),
        lambda env: env.observe("player_0"),
        lambda env: env.view("player_0"),
        lambda env: env.game,
        lambda env: list(env.agent_iter()),
    ],
)
def test_before_the_first_reset_the_raw_environment_says_what_to_do(call: Callable[[Any], object]) -> None:
    env = truco_v0.raw_env()
    with pytest.raises(AttributeError, match=r"^there is no position before reset\(\): call reset\(\) first$"):
        call(env)


@every_table
def test_the_state_shows_the_whole_table(table: dict[str, Any]) -> None:
    from truco_env.observation.state import decode_state

    env = truco_v0.raw_env(**table)
    env.reset(seed=8)
    rng = np.random.default_rng(0)
    for _ in range(80):
        if env.terminations["player_0"]:
            env.reset()
        state = env.state()
        assert state.dtype == np.int8
        assert env.state_space.contains(state)
        size = env.layout.size
        assert np.array_equal(state[:size], env.observe("player_0")["observation"])
        values: Any = decode_state(state, env.rules)
        for seat, agent in enumerate(env.possible_agents):
            view = env.view(agent)
            assert [card for card in values["hands"][seat] if card] == list(view.dealt)
            held = [card for card, holds in zip(values["hands"][seat], values["holds"][seat], strict=True) if holds]
            assert held == list(view.held)
            assert values["envidos"][seat] == (view.envido or 0)
            assert values["flores"][seat] == (view.flor or 0)
        assert values["asked"].index(1) == int(env.agent_selection[-1])
        env.step(_pick(rng, env.observe(env.agent_selection)))


def test_the_worked_hand_in_the_documentation_is_right() -> None:
    page = Path(__file__).parent.parent / "docs" / "environments.md"
    failed, tried = doctest.testfile(str(page), module_relative=False)
    assert failed == 0
    assert tried > 5
