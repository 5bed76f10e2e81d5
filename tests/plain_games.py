"""Games of a table of every kind through compiled entry points: what they give must not depend on whether numba compiles them.

Run as a program it prints one digest for each table.
"""

from __future__ import annotations

import hashlib
from typing import Any, Final

import numpy as np

from truco_env import Batch, LearnerBatch, Rules, make_agent, truco_v0
from truco_env.engine.jit import JIT

#: Rule set, players, options: every rule set and size, and every option that takes a path of its own through the rules.
TABLES: Final[tuple[tuple[str, int, dict[str, Any]], ...]] = (
    ("argentino", 2, {}),
    ("argentino", 2, {"flor_table": "clarin", "flor_poll": "uniform", "scoring_time": "end_of_hand", "falta": 99}),
    ("argentino", 3, {"gallo_tie": "extra_hand", "senas": "truthful", "sena_catch": 0.5}),
    ("argentino", 4, {"senas": "truthful", "sena_catch": 0.5, "flor_opposed": "each_own"}),
    ("argentino", 6, {"pica_pica": True, "senas": "free", "flor_opposed": "best_own"}),
    ("reglamento", 2, {"contraflor": True, "match": "sets"}),
    ("reglamento", 4, {"flor_auto_show": False, "senas": "truthful"}),
    ("reglamento", 8, {"allow_8": True, "senas": "truthful", "sena_catch": 1.0, "reveal_envido": "all", "parda_leader": "last_tied"}),
    ("truc_valencia", 2, {"falta_direct": True, "falta_males": True}),
    ("truc_valencia", 8, {"deck30": True, "senas": "truthful", "fold_scope": "both"}),
    ("trucomano", 2, {"best_of": 3}),
)
_SIZE: Final = 2
_STEPS: Final = 60


def _draw(masks: Any, rng: np.random.Generator) -> Any:
    """One legal action for each row; leaving the hand is drawn less often, so that hands get long."""
    weights = masks * np.where(np.isin(np.arange(masks.shape[1]), (19, 20, 21)), 0.05, 1.0)
    return np.argmax(weights * rng.random(masks.shape), axis=1)


def _play_batch(rules: Rules, digest: Any) -> None:
    rng = np.random.default_rng(3)
    batch = Batch(rules, _SIZE, reward="shaped", keep_finals=True)
    batch.reset(5)
    for _ in range(_STEPS):
        for array in (batch.observations, batch.masks, batch.seats, batch.rewards, batch.done, batch.winners, batch.hands, batch.finals):
            digest.update(array.tobytes())
        batch.step(_draw(batch.masks, rng))


def _play_learner(rules: Rules, digest: Any) -> None:
    rng = np.random.default_rng(4)
    batch = LearnerBatch(rules, _SIZE, [make_agent("random", rules)])
    observations, masks = batch.reset(6)
    for _ in range(_STEPS // 4):
        digest.update(observations.tobytes() + masks.tobytes())
        step = batch.step(_draw(masks, rng))
        observations, masks = step.observations, step.masks
        digest.update(step.rewards.tobytes())


def _play_env(rules: Rules, digest: Any) -> None:
    rng = np.random.default_rng(8)
    env = truco_v0.raw_env(rules, reward="points")
    env.reset(seed=9)
    digest.update(env.unwrapped.game.sample_hidden(0, np.random.default_rng(1)).notation().encode())
    for _ in range(_STEPS):
        observation, reward, over, _, _ = env.last()
        digest.update(observation["observation"].tobytes() + observation["action_mask"].tobytes() + env.state().tobytes())
        digest.update(repr(reward).encode())
        if over:
            break
        env.step(int(_draw(observation["action_mask"][None], rng)[0]))
    game = env.unwrapped.game
    digest.update(game.notation().encode())
    digest.update(repr([game.view(seat) for seat in range(rules.players)]).encode())


def digests() -> list[str]:
    """Return a digest of the games of each table."""
    found = []
    for ruleset, players, options in TABLES:
        rules, digest = Rules(ruleset, players, **options), hashlib.sha256()
        _play_batch(rules, digest)
        _play_learner(rules, digest)
        _play_env(rules, digest)
        found.append(digest.hexdigest())
    return found


if __name__ == "__main__":
    assert not JIT
    print("\n".join(digests()))
