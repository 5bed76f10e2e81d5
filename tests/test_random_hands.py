"""Random hands at every kind of table, under random options, without a broken invariant."""

from __future__ import annotations

import numpy as np
import pytest

from tests.random_hands import INVARIANTS, play_hands
from truco_env.engine.record import new_games
from truco_env.engine.rules_record import record_of
from truco_env.errors import RulesError
from truco_env.rules.options import ABSENT, OPTIONS, Rules

TWO_PLAYERS = [("argentino", 2), ("reglamento", 2), ("truc_valencia", 2), ("trucomano", 2)]
LARGER_TABLES = [
    ("argentino", 3),
    ("argentino", 4),
    ("argentino", 6),
    ("reglamento", 4),
    ("reglamento", 6),
    ("reglamento", 8),
    ("truc_valencia", 4),
    ("truc_valencia", 6),
    ("truc_valencia", 8),
]
HANDS_PER_TABLE = 2_000  # under one set of options


def random_rules(ruleset: str, players: int, rng: np.random.Generator) -> Rules:
    """Return the table with each option drawn, half of them left at their default."""
    special: dict[str, tuple[object, ...]] = {
        "falta": (*OPTIONS["falta"].values, 1, 5),
        "pica_falta": (6, "full", 3),
        "pica_band": (None, (0, 30), (3, 12)),
        "sena_catch": (0.0, 0.5, 1.0),
    }
    while True:
        options: dict[str, object] = {}
        for name, option in OPTIONS.items():
            if option.default(ruleset) is not ABSENT and rng.random() < 0.5:
                values = special.get(name, option.values)
                options[name] = values[rng.integers(len(values))]
        if players == 8:
            options["allow_8" if ruleset == "reglamento" else "deck30"] = True
        if players == 6 and ruleset == "argentino":
            options["pica_pica"] = bool(rng.random() < 0.5)
        try:
            return Rules(ruleset, players, **options)
        except RulesError:
            continue


def check_hands(tables: list[tuple[str, int]], hands: int, seed: int) -> dict[str, int]:
    """Play about ``hands`` hands spread over the tables; return how many there were of what."""
    rng = np.random.default_rng(seed)
    totals = {"hands": 0, "actions": 0, "matches": 0, "picas": 0}
    while totals["hands"] < hands:
        for ruleset, players in tables:
            rules = random_rules(ruleset, players, rng)
            match_seed = rng.integers(2**63, dtype=np.uint64)
            broken, actions, matches, picas = play_hands(new_games(1), record_of(rules), match_seed, HANDS_PER_TABLE)
            named = [text for bit, text in enumerate(INVARIANTS) if broken >> bit & 1]
            assert not named, f"{ruleset} {players} {dict(rules.options)} seed {match_seed}: broken: {named}"
            totals["hands"] += HANDS_PER_TABLE
            totals["actions"] += actions
            totals["matches"] += matches
            totals["picas"] += picas
    return totals


def test_random_hands_of_two_players_break_no_invariant() -> None:
    totals = check_hands(TWO_PLAYERS, 100_000, seed=1)
    assert totals["matches"] > 1000


def test_random_hands_at_larger_tables_break_no_invariant() -> None:
    totals = check_hands(LARGER_TABLES, 100_000, seed=2)
    assert totals["matches"] > 1000
    assert totals["picas"] > 100


@pytest.mark.slow
def test_two_million_random_hands_of_two_players_break_no_invariant() -> None:
    assert check_hands(TWO_PLAYERS, 2_000_000, seed=3)["hands"] >= 2_000_000


@pytest.mark.slow
def test_two_million_random_hands_at_all_tables_break_no_invariant() -> None:
    assert check_hands(TWO_PLAYERS + LARGER_TABLES, 2_000_000, seed=4)["picas"] > 1000


def test_a_broken_invariant_is_noticed() -> None:
    """Rules that want no leg at all call the match won before it is over."""
    no_legs = record_of(Rules("argentino", 2)).copy()
    no_legs["legs_to_win"] = 0
    broken, *_ = play_hands(new_games(1), no_legs, np.uint64(1), 10)
    assert broken == 1 << INVARIANTS.index("the match ends when somebody has the legs, and not before")
