"""Agents: the truco sense of the rule-based players, legal play at every table, and the register of names."""

from __future__ import annotations

import os
import subprocess
import sys
from collections import Counter
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from truco_agents.arena import play_match
from truco_agents.rule_based.agent import Truquero
from truco_agents.rule_based.character import CHARACTERS, SIMPLE
from truco_agents.rule_based.duel import duel_odds, hand_id
from truco_env import truco_v0
from truco_env.batch.batch import Batch
from truco_env.players.protocol import Agent
from truco_env.players.registry import describe_agents, make_agent
from truco_env.rules.actions import Action
from truco_env.rules.cards import FULL_DECK
from truco_env.rules.options import Rules

TRUQUEROS = sorted(set(CHARACTERS) - {character.name for character in SIMPLE})
NAMES = ["random", *TRUQUEROS]
DRAWS = 200
NO_FLOR: dict[str, Any] = {"flor_mode": "off"}


def moves(
    agent: str | Agent,
    hands: list[str],
    played: str = "",
    *,
    only_cards: bool = False,
    scores: tuple[int, ...] | None = None,
    **table: Any,
) -> Counter[str]:
    """Count what an agent does in a position, over many draws; seat 0 is mano."""
    env = truco_v0.raw_env(**table)
    env.reset(seed=1, options={"deals": [hands], "dealer": len(hands) - 1, "scores": scores})
    for name in played.split():
        env.step({env.game.action_name(action): action for action in env.game.legal_actions}[name])
    seen = env.observe(env.agent_selection)
    mask = seen["action_mask"].copy()
    if only_cards:
        mask[Action.DISCARD_0 :] = 0
    observations, masks = np.repeat(seen["observation"][None], DRAWS, axis=0), np.repeat(mask[None], DRAWS, axis=0)
    actions = make_agent(agent, env.rules).act(observations, masks, np.random.default_rng(5), np.arange(DRAWS))
    return Counter(env.game.action_name(int(action)) for action in actions)


def share(done: Counter[str], names: str) -> float:
    return sum(done[name] for name in names.split()) / DRAWS


PAIRS: dict[str, Any] = {"players": 4, **NO_FLOR}
SIGNED: dict[str, Any] = {**PAIRS, "senas": "free"}

#: What a card is played for -> hands, moves so far, the one card that serves, table. Calls are out of the question.
CARDS: dict[str, tuple[list[str], str, str, dict[str, Any]]] = {
    "kills with the cheapest card that wins": (["12E 4B 5C", "11C 2O 1E"], "12E 11C 4B", "2O", NO_FLOR),
    "kills with the great card when nothing less wins": (["12E 3B 5C", "11C 2O 1E"], "12E 11C 3B", "1E", NO_FLOR),
    "throws the lowest under a card it cannot beat": (["1E 4B 5C", "3C 6O 4O"], "1E", "4O", NO_FLOR),
    "does not waste 1B on a ten": (["10E 4B 5C", "3C 12O 1B"], "10E", "12O", NO_FLOR),
    "plays its best after a parda": (["3E 4B 1E", "3C 1B 4O"], "3E 3C", "1E", NO_FLOR),
    "keeps the great card behind when the first trick is won": (["3E 4B 7O", "2C 1B 4O"], "3E 2C", "4B", NO_FLOR),
    "plays low under a partner who wins": (["1E 4B 5C", "12C 11C 10O", "3O 6O 4C", "2O 2C 5E"], "1E 12C", "4C", PAIRS),
    "wins for the side when it plays last": (["12E 4B 5C", "4O 11C 10O", "3O 6O 4C", "2O 3C 1E"], "12E 4O 3O", "3C", PAIRS),
    "lets the partner's card stand when it plays last": (["12E 4B 5C", "3B 11C 10O", "2B 6O 4C", "2O 3C 1E"], "12E 3B 2B", "2O", PAIRS),
    "plays low before a partner who signed the best card": (
        ["11E 3C 6B", "4C 11C 10O", "1E 6O 12C", "2O 2C 5E"],
        "sena:tres 11E sena:rey 4C sena:as_espadas 6O sena:dos 2O sena:dos 2C sena:rey", "6B", SIGNED),
}  # fmt: skip

ENVIDOS = "envido real_envido falta_envido"
LOST_TO_33 = ["7C 6E 4C", "7O 6O 5C"]

#: What a call is made for -> hands, moves so far, calls, how often they are made at least and at most, table.
CALLS: dict[str, tuple[list[str], str, str, float, float, dict[str, Any]]] = {
    "calls the truco with the last trick surely won": (["12E 1B 4B", "11C 2O 1E"], "12E 2O 11C 1B 4B", "truco", 1, 1, NO_FLOR),
    "raises it as well": (["12E 1B 4B", "11C 2O 1E"], "12E 2O 11C 1B truco quiero 4B", "retruco", 1, 1, NO_FLOR),
    "gives up when the last trick is surely lost": (["3E 4B 4C", "2C 1B 1E"], "3E 2C 4B 1B 1E", "mazo", 0.7, 1, NO_FLOR),
    "never refuses a truco with the two best cards": (["7C 6E 4C", "1E 1B 3C"], "truco", "no_quiero", 0, 0, NO_FLOR),
    "refuses a truco with nothing": (["12E 1C 2E", "4B 5O 6C"], "truco", "no_quiero", 0.7, 1, NO_FLOR),
    "opens the envido with 29": (["7O 2O 1C", "7E 6E 4C"], "", ENVIDOS, 0.7, 1, NO_FLOR),
    "opens the envido with 4 only to bluff": (["4O 2C 1B", "7E 6E 4C"], "", ENVIDOS, 0, 0.25, NO_FLOR),
    "answers a truco with the envido first": (LOST_TO_33, "truco", ENVIDOS, 0.7, 1, NO_FLOR),
    "never refuses an envido with 33": (["4E 5B 1O", "7O 6O 4C"], "real_envido", "no_quiero", 0, 0, NO_FLOR),
    "refuses an envido with 6": (["7E 6E 4C", "6B 4O 1C"], "real_envido", "no_quiero", 0.8, 1, NO_FLOR),
    "does not stake the match on 20": (["4E 5B 1O", "1C 12O 10O"], "falta_envido", "no_quiero", 0.8, 1, NO_FLOR),
    "stakes the match on 33": (["4E 5B 1O", "7O 6O 4C"], "falta_envido", "quiero", 1, 1, NO_FLOR),
    "answers a flor with a better one": (["4B 5B 6B", "7E 6E 5E"], "flor", "no_quiero", 0, 0, {}),
    "backs down from a contraflor with the lowest flor": (["10E 11E 12E", "4B 5B 6B"], "flor contraflor", "no_quiero", 1, 1, {}),
    "sings where singing is a choice": (["7E 6E 5E", "4B 5B 6C"], "", "flor", 1, 1, {"ruleset": "trucomano"}),
    "signs the best card": (["1E 4B 5C", "12C 11C 10O", "3O 6O 4C", "2O 2C 5E"], "", "sena:as_espadas", 1, 1, SIGNED),
    "signs a great number first": (["7E 6E 5C", "12C 11C 10O", "3O 6O 4C", "2O 2C 5E"], "", "sena:tanto_30", 1, 1, SIGNED),
    "signs that it is blind": (["4E 4B 5C", "12C 11C 10O", "3O 6O 4C", "2O 2C 5E"], "", "sena:ciego", 1, 1, SIGNED),
    "throws away the gallo's useless card": (
        ["1E 4B 5C", "12C 11C 10O", "3O 6O 7C 4E"], "", "discard:4E", 1, 1, {"players": 3, **NO_FLOR}),
    "keeps the gallo's flor": (["1E 4B 5C", "12C 11C 10O", "3O 6O 7O 3B"], "", "discard:3B", 1, 1, {"players": 3}),
}  # fmt: skip

#: The rivals are at 29: whatever is refused loses the match.
AT_29: dict[str, Any] = {"scores": (29, 10), **NO_FLOR}


@pytest.mark.parametrize("name", TRUQUEROS)
@pytest.mark.parametrize("sense", CARDS)
def test_card_play(name: str, sense: str) -> None:
    hands, played, card, table = CARDS[sense]
    assert set(moves(name, hands, played, only_cards=True, **table)) == {card}


@pytest.mark.parametrize("name", TRUQUEROS)
@pytest.mark.parametrize("sense", CALLS)
def test_calls(name: str, sense: str) -> None:
    hands, played, calls, least, most, table = CALLS[sense]
    assert least <= share(moves(name, hands, played, **table), calls) <= most


@pytest.mark.parametrize("name", TRUQUEROS)
@pytest.mark.parametrize("call", ["envido", "real_envido", "falta_envido", "truco"])
def test_nothing_is_refused_when_the_rival_needs_one_point(name: str, call: str) -> None:
    assert moves(name, ["7E 6E 4C", "5E 4B 1C"], call, **AT_29)["no_quiero"] == 0


@pytest.mark.parametrize("name", TRUQUEROS)
def test_the_envido_is_weighed_by_the_number_and_by_who_is_mano(name: str) -> None:
    numbers = {4: "4O 2C 1B", 25: "5O 12O 1C", 26: "6O 12O 1C", 27: "7O 12O 1C", 28: "7O 1O 2C", 30: "7O 3O 1C", 33: "7O 6O 1C"}
    pie = [1 - share(moves(name, ["11E 6E 4C", hand], "real_envido", **NO_FLOR), "no_quiero") for hand in numbers.values()]
    mano = [1 - share(moves(name, [hand, "11E 6E 4C"], "truco real_envido", **NO_FLOR), "no_quiero") for hand in numbers.values()]
    assert pie == sorted(pie) and mano == sorted(mano), "the better the number, the more it accepts"
    assert pie[0] < 0.2 and pie[-1] == 1
    assert all(as_mano >= as_pie for as_mano, as_pie in zip(mano, pie, strict=True))


def test_falta_is_weighed_by_what_it_is_worth() -> None:
    """With 22 a falta is accepted when the rivals are about to win anyway, and refused when it stakes an even match."""
    hands = ["4E 5B 1O", "2O 12O 1C"]
    assert share(moves("maestro", hands, "falta_envido", scores=(25, 3), **NO_FLOR), "no_quiero") == 0
    assert share(moves("maestro", hands, "falta_envido", **NO_FLOR), "no_quiero") > 0.8


TABLES = (
    Rules("argentino"),
    Rules("argentino", flor_mode="off", target=15, envido_first="annul", retruco_right="either"),
    Rules("argentino", flor_table="clarin", flor_poll="uniform", scoring_time="end_of_hand", parda_leader="last_tied"),
    Rules("argentino", 3),
    Rules("argentino", 3, gallo_tie="extra_hand", truco_responder="next_rival"),
    Rules("argentino", 4, senas="free", sena_catch=0.3, truco_responder="next_rival"),
    Rules("argentino", 6, pica_pica=True, senas="truthful", fold_scope="player"),
    Rules("reglamento", flor_mode="penalty", match="sets"),
    Rules("reglamento", 4, senas="free", contraflor=True),
    Rules("reglamento", 8, allow_8=True, flor_auto_show=False),
    Rules("truc_valencia"),
    Rules("truc_valencia", 4, falta_direct=True, senas="truthful", envit_refused="flat1"),
    Rules("truc_valencia", 8, deck30=True, fold_scope="both"),
    Rules("trucomano", best_of=3),
    Rules("trucomano", mazo=False, contraflor=False),
)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("rules", TABLES, ids=lambda rules: f"{rules.ruleset}-{rules.players}")
def test_every_move_is_legal_at_every_table(name: str, rules: Rules) -> None:
    """Many hands of whole matches; an illegal move makes ``step`` raise."""
    batch, agent, rng = Batch(rules, 128), make_agent(name, rules), np.random.default_rng(3)
    batch.reset(11)
    rows = np.arange(batch.size)
    agent.start(rows)
    hands = 0
    for _ in range(60 * rules.players):
        before = batch.games["hand_no"].copy()
        batch.step(agent.act(batch.observations, batch.masks, rng, rows))
        hands += int((batch.games["hand_no"] != before).sum())
    assert hands > 500


def some_decisions(rules: Rules, steps: int = 25) -> Batch:
    """Positions of ordinary play, mid-match."""
    batch, agent, rng = Batch(rules, 2000), make_agent("bravo", rules), np.random.default_rng(1)
    batch.reset(2)
    for _ in range(steps):
        batch.step(agent.act(batch.observations, batch.masks, rng, np.arange(batch.size)))
    return batch


@pytest.mark.parametrize("name", NAMES)
def test_the_same_generator_gives_the_same_moves_and_nothing_is_written(name: str) -> None:
    batch = some_decisions(Rules("argentino", 4))
    before = batch.observations.copy(), batch.masks.copy()
    first, again = (
        make_agent(name, batch.rules).act(batch.observations, batch.masks, np.random.default_rng(9), np.arange(batch.size))
        for _ in range(2)
    )
    np.testing.assert_array_equal(first, again)
    np.testing.assert_array_equal(before[0], batch.observations)
    np.testing.assert_array_equal(before[1], batch.masks)


@pytest.mark.parametrize("name", CHARACTERS)
def test_observations_may_be_read_only_and_strided(name: str) -> None:
    rules = Rules("argentino", 2)
    batch = Batch(rules, 16)
    batch.reset(2)
    rows = np.arange(8)
    expected = make_agent(name, rules).act(batch.observations[::2].copy(), batch.masks[::2].copy(), np.random.default_rng(1), rows)
    batch.observations.setflags(write=False)
    batch.masks.setflags(write=False)
    moves = make_agent(name, rules).act(batch.observations[::2], batch.masks[::2], np.random.default_rng(1), rows)
    assert moves.tolist() == expected.tolist()


@pytest.mark.parametrize(("catch", "signs"), [(0.0, True), (0.49, True), (0.5, False), (1.0, False)])
def test_no_senas_are_made_where_half_of_them_are_caught(catch: float, signs: bool) -> None:
    rules = Rules("argentino", 4, senas="truthful", sena_catch=catch)
    batch = Batch(rules, 64)
    batch.reset(4)
    moves = make_agent("prudente", rules).act(batch.observations, batch.masks, np.random.default_rng(1), np.arange(64))
    assert bool((moves >= int(Action.SENA_AS_ESPADAS)).any()) == signs


def test_signs_are_worth_no_more_when_rivals_catch_them() -> None:
    """A caught seña helps who caught it: the signing side gains less than where nobody sees."""
    gains = [
        play_match("maestro", "maestro:mute", Rules("argentino", 4, senas="truthful", sena_catch=catch), groups=2500).points_per_hand()
        for catch in (0.0, 0.45)
    ]
    assert gains[0].low > 0.03
    assert gains[1].mean < gains[0].mean + 0.01


def test_a_mute_player_makes_no_senas_and_plays_as_before_where_there_are_none() -> None:
    signing, silent = Rules("argentino", 4, senas="truthful"), Rules("argentino", 4)
    for rules in (signing, silent):
        batch, rows = Batch(rules, 64), np.arange(64)
        batch.reset(4)
        mute = make_agent("prudente:mute", rules)
        assert mute.name == "prudente:mute"
        moves = mute.act(batch.observations, batch.masks, np.random.default_rng(1), rows)
        assert (moves < int(Action.SENA_AS_ESPADAS)).all()
    assert moves.tolist() == make_agent("prudente", silent).act(batch.observations, batch.masks, np.random.default_rng(1), rows).tolist()


def test_without_a_compiler_rule_based_players_refuse_in_one_line() -> None:
    command = [sys.executable, "evaluate.py", "match", "prudente", "random", "--groups", "2"]
    done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, "NUMBA_DISABLE_JIT": "1"}, check=False)
    assert done.returncode == 2
    assert done.stderr.strip().splitlines() == ["evaluate.py: prudente needs numba's compiler: unset NUMBA_DISABLE_JIT"]


def test_characters_differ_as_their_names_say() -> None:
    """prudente refuses most, bravo calls most."""
    batch = some_decisions(Rules("argentino"))
    rows = np.arange(batch.size)
    done = {name: make_agent(name, batch.rules).act(batch.observations, batch.masks, np.random.default_rng(4), rows) for name in TRUQUEROS}
    refused = {name: np.mean(done[name][batch.masks[:, Action.QUIERO] == 1] == Action.NO_QUIERO) for name in TRUQUEROS}
    called = {name: np.mean(done[name][batch.masks[:, Action.TRUCO] == 1] == Action.TRUCO) for name in TRUQUEROS}
    assert refused["prudente"] > max(refused["maestro"], refused["bravo"])
    assert called["bravo"] > max(called["prudente"], called["maestro"])


def test_a_character_bluffs_at_its_rate() -> None:
    """With a hand that hardly wins, the truco is called as often as ``bluff`` says."""
    rules = Rules("argentino", **NO_FLOR)
    for rate in (0.0, 0.4):
        liar = Truquero(replace(CHARACTERS["maestro"], bluff=(rate, rate, rate)), rules)
        done = moves(liar, ["4E 2E 3O", "4B 5O 6C"], "3O 4B 4E", **NO_FLOR)
        assert share(done, "truco") == pytest.approx(rate, abs=0.1)


def test_the_odds_of_a_duel_are_counted_right() -> None:
    """1E 1B 7E cannot lose; better cards never lose more; what mano wins, the other loses."""
    number_of = getattr(hand_id, "py_func", hand_id)
    odds = duel_odds(FULL_DECK, 1.0, manos_lead=True).tables[0]
    lead = odds["lead"].sum(axis=2)
    chances = (lead[..., 1] / np.maximum(lead[..., 0], 1e-9)).max(axis=1)
    wait = odds["wait"].sum(axis=1)
    assert chances[number_of(12, 13, 14)] == pytest.approx(1)
    assert chances[number_of(3, 5, 9)] < chances[number_of(3, 9, 9)] < chances[number_of(9, 9, 11)]
    hands = lead[:, 0, 0]
    assert (hands * chances).sum() / hands.sum() + wait[:, 1].sum() / wait[:, 0].sum() == pytest.approx(1, abs=0.05)


@pytest.mark.parametrize("name", NAMES)
def test_every_agent_has_a_name_and_is_described(name: str) -> None:
    agent = make_agent(name, Rules("trucomano"))
    assert isinstance(agent, Agent) and agent.name == name
    assert [info.summary for info in describe_agents() if info.name == name] == [
        CHARACTERS[name].summary if name in CHARACTERS else "Plays any legal action, each equally likely."
    ]


def test_playing_the_rule_based_agents_loads_no_torch() -> None:
    heavy = "torch stable_baselines3 sb3_contrib matplotlib tensorboard pandas"
    code = (
        "import sys, truco_env\n"
        "truco_env.TrucoGym(opponents=['bravo', 'maestro:mute'])\n"
        f"print([name for name in {heavy.split()} if name in sys.modules])"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip() == "[]"


def test_random_plays_every_legal_move_equally_often() -> None:
    done = moves("random", ["7E 6E 5C", "4B 5B 6C"], **NO_FLOR)
    legal = ["7E", "6E", "5C", "truco", "envido", "real_envido", "falta_envido", "mazo"]
    assert set(done) == set(legal) and min(done.values()) > 0.5 * DRAWS / len(legal)


@pytest.mark.parametrize("name", TRUQUEROS)
def test_random_loses_most_matches(name: str) -> None:
    """Its wild faltas are paid by the odds, and so win a match now and then."""
    assert play_match(name, "random", Rules("argentino"), groups=400).win_rate().mean > 0.85


@pytest.mark.parametrize("players", [2, 4])
@pytest.mark.parametrize("name", ["prudente", "bravo"])
def test_maestro_is_the_strongest(name: str, players: int) -> None:
    assert play_match("maestro", name, Rules("argentino", players), groups=400).win_rate().mean > 0.55
