"""Characters: what they draw agrees with what they say they would, what the table shows is not bluffed against, habits are kept."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from truco_agents.arena import play_match
from truco_agents.rule_based.character import CHARACTERS, SIMPLE
from truco_env import truco_v0
from truco_env.batch.batch import Batch
from truco_env.players.registry import make_agent
from truco_env.rules.actions import N_ACTIONS
from truco_env.rules.options import Rules

THINKERS = ("prudente", "bravo", "maestro")
NO_FLOR: dict[str, Any] = {"flor_mode": "off"}
TABLES = (Rules("argentino"), Rules("argentino", 4, senas="truthful"), Rules("argentino", 3), Rules("truc_valencia"), Rules("trucomano"))


def plan(name: str, hands: list[str], played: str, scores: tuple[int, int] = (0, 0), **table: Any) -> dict[str, float]:
    """The probabilities with which an agent acts in a position, by name; seat 0 is mano."""
    env = truco_v0.raw_env(**table)
    env.reset(seed=1, options={"deals": [hands], "dealer": len(hands) - 1, "scores": scores})
    for move in played.split():
        env.step({env.game.action_name(action): action for action in env.game.legal_actions}[move])
    seen = env.observe(env.agent_selection)
    agent: Any = make_agent(name, env.rules)
    shares = agent.probabilities(seen["observation"][None], seen["action_mask"][None], np.arange(1))[0]
    return {env.game.action_name(action): float(shares[action]) for action in np.flatnonzero(shares).tolist()}


def positions(rules: Rules, steps: int, every: int) -> Iterator[Batch]:
    """Positions of ordinary play, mid-match."""
    batch, agent, rng = Batch(rules, 256), make_agent("bravo", rules), np.random.default_rng(1)
    batch.reset(2)
    for step in range(steps):
        if step % every == 0:
            yield batch
        batch.step(agent.act(batch.observations, batch.masks, rng, np.arange(batch.size)))


@pytest.mark.parametrize("rules", TABLES, ids=lambda rules: f"{rules.ruleset}-{rules.players}")
@pytest.mark.parametrize("name", CHARACTERS)
def test_probabilities_are_a_distribution_over_legal_actions(name: str, rules: Rules) -> None:
    agent: Any = make_agent(name, rules)
    for batch in positions(rules, 40, 5):
        shares = agent.probabilities(batch.observations, batch.masks, np.arange(batch.size))
        assert shares.shape == (batch.size, N_ACTIONS)
        np.testing.assert_allclose(shares.sum(axis=1), 1.0, atol=1e-12)
        assert (shares >= 0).all() and (shares[batch.masks == 0] == 0).all()


@pytest.mark.parametrize("rules", TABLES[:3], ids=lambda rules: f"{rules.ruleset}-{rules.players}")
@pytest.mark.parametrize("name", THINKERS)
def test_what_is_drawn_agrees_with_the_probabilities(name: str, rules: Rules) -> None:
    agent: Any = make_agent(name, rules)
    draws, rng = 400, np.random.default_rng(7)
    for batch in positions(rules, 24, 6):
        rows = np.arange(batch.size)
        shares = agent.probabilities(batch.observations, batch.masks, rows)
        counts = np.zeros((batch.size, N_ACTIONS))
        for _ in range(draws):
            counts[rows, agent.act(batch.observations, batch.masks, rng, rows)] += 1
        sigma = np.sqrt(shares * (1 - shares) / draws)
        assert (counts[shares == 0] == 0).all()
        assert (np.abs(counts / draws - shares) <= 5.5 * sigma + 4 / draws).all()


@pytest.mark.parametrize("name", THINKERS)
def test_no_bluff_where_no_card_held_can_win(name: str) -> None:
    """Seat 0 won the first trick and has played the best card: the rival's raise could only be believed by who cannot see the table."""
    done = plan(name, ["3O 1E 4C", "2C 5B 12C"], "3O 2C truco quiero 1E", **NO_FLOR)
    assert "retruco" not in done


@pytest.mark.parametrize("name", THINKERS)
@pytest.mark.parametrize("scores", [(0, 0), (29, 0), (0, 29), (25, 27)])
def test_a_truco_that_the_table_shows_as_won_is_never_refused(name: str, scores: tuple[int, int]) -> None:
    """Seat 1 won the first trick and has the better card on the table."""
    done = plan(name, ["2O 4C 5C", "3O 1E 4B"], "2O 3O 1E truco", scores, **NO_FLOR)
    assert "no_quiero" not in done


@pytest.mark.parametrize("name", THINKERS)
def test_a_falta_is_answered_by_the_odds_and_by_what_the_match_is_worth(name: str) -> None:
    """A strong number pays to see a falta of two points and of the match; a weak one folds the match, but not what is lost anyway."""
    rival = "1B 10O 4C"
    for scores in ((0, 0), (28, 28)):
        assert "no_quiero" not in plan(name, [rival, "7O 4O 1C"], "falta_envido", scores, **NO_FLOR), "31"
    assert plan(name, [rival, "5O 12C 1E"], "falta_envido", **NO_FLOR)["no_quiero"] > 0.8, "5"
    assert "no_quiero" not in plan(name, [rival, "5O 12C 1E"], "falta_envido", (29, 3), **NO_FLOR), "refusing loses"


#: Habit -> hands, moves so far, what is always done.
HABITS = {
    "estacion": (["1B 10O 6C", "7O 3C 1E"], "truco", "quiero"),
    "faltero": (["1B 10O 6C", "4O 12C 1E"], "envido", "falta_envido"),
    "picador": (["1B 10O 6C", "4O 4C 5E"], "truco", "retruco"),
    "terco": (["1B 10O 6C", "4O 4C 5E"], "truco", "quiero"),
    "manso": (["4B 4O 6C", "1E 1B 7E"], "truco", "no_quiero"),
    "cantor": (["4B 12O 1C", "1E 1B 7E"], "", "envido"),
}


@pytest.mark.parametrize("character", SIMPLE, ids=lambda character: character.name)
def test_a_simple_character_keeps_its_habit(character: Any) -> None:
    hands, played, always = HABITS[character.name]
    assert plan(character.name, hands, played, **NO_FLOR) == {always: 1.0}


@pytest.mark.parametrize("name", THINKERS)
@pytest.mark.parametrize("simple", [character.name for character in SIMPLE])
def test_no_simple_character_beats_a_thinking_one_by_much(simple: str, name: str) -> None:
    assert play_match(simple, name, Rules("argentino"), groups=300).win_rate().mean < 0.6
