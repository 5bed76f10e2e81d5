"""Starting: what importing, compiling and the first step cost, each in a process of its own.

``python -m benchmarks.start STAGE`` is such a process; it prints its times as JSON.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from typing import Any

from benchmarks.meter import Measurement, Sample


def _import() -> None:
    import truco_env  # noqa: F401


def _names() -> None:
    import truco_env

    for name in truco_env.__all__:
        getattr(truco_env, name)


def _aec() -> None:
    """What a training loop needs of the PettingZoo environment."""
    from truco_env import truco_v0

    env = truco_v0.env()
    env.reset(seed=1)
    observation = env.last()[0]
    env.step(int(observation["action_mask"].argmax()))


def _aec_whole() -> None:
    """All that a user of the PettingZoo environment can call."""
    from truco_env import truco_v0

    env: Any = truco_v0.env(render_mode="ansi")
    env.reset(seed=1, options={"deals": [["7O 6O 4C", "7B 5B 12C"]], "dealer": 1, "scores": [0, 0]})
    for agent in env.possible_agents:
        env.observe(agent)
    env.step(int(env.last()[0]["action_mask"].argmax()))
    env.state()
    env.render()
    _aec()


def _batch() -> None:
    import numpy as np

    from truco_env import Batch, Rules, pick_uniform

    batch = Batch(Rules(), 4)
    batch.reset(1)
    batch.step(pick_uniform(batch.masks, np.random.default_rng(1)))


def _whole() -> None:
    """The PettingZoo environment, the batch, the vector environment and ``Game``."""
    from truco_env import Game, TrucoVector

    _aec_whole()
    _batch()
    env = TrucoVector(4)
    env.reset(seed=1)
    env.step(env.action_masks().argmax(axis=1))
    game = Game()
    game.deal(seed=1)
    game.play(game.legal[0])
    game.notation()


def _learning() -> None:
    """All that training compiles before the network: the environments, the learner batch, the rule-based agents."""
    import numpy as np

    from truco_env import LearnerBatch, Rules, make_agent

    _whole()
    rules, rng = Rules(), np.random.default_rng(1)
    agents = [make_agent(name, rules) for name in ("prudente", "bravo", "maestro")]
    learner = LearnerBatch(rules, 4, opponents=agents)
    observations, masks = learner.reset(1)
    for agent in agents:
        agent.act(observations, masks, rng, np.arange(4))
    learner.step(masks.argmax(axis=1))


STAGES: dict[str, Callable[[], None]] = {
    "import": _import,
    "names": _names,
    "aec": _aec,
    "aec_whole": _aec_whole,
    "batch": _batch,
    "whole": _whole,
    "learning": _learning,
}


def start(seconds: float, stage: str, cold: int = 0) -> Measurement:
    """Seconds of CPU time of a stage beyond the imports of numpy, gymnasium and pettingzoo.

    Args:
        seconds: not used; a start takes what it takes.
        stage: one of ``STAGES``.
        cold: 1: without compiled code from before; 0: with it.
    """
    if not cold:
        _started(stage, os.environ.get("NUMBA_CACHE_DIR"))

    def measure() -> Sample:
        if not cold:
            return _started(stage, os.environ.get("NUMBA_CACHE_DIR"))
        with tempfile.TemporaryDirectory() as folder:
            return _started(stage, folder)

    return measure


def _started(stage: str, cache: str | None) -> Sample:
    environment = {**os.environ, **({"NUMBA_CACHE_DIR": cache} if cache else {})}
    command = [sys.executable, "-m", "benchmarks.start", stage]
    done = subprocess.run(command, env=environment, check=True, capture_output=True, text=True)
    times: Sample = json.loads(done.stdout)
    return times


def main(stage: str) -> None:
    """Print the times of a stage in this process."""
    import gymnasium  # noqa: F401
    import numpy  # noqa: F401
    import pettingzoo  # noqa: F401

    before, clock = time.process_time(), time.perf_counter()
    STAGES[stage]()
    cpu, wall = time.process_time() - before, time.perf_counter() - clock
    print(json.dumps({"value": cpu, "wall": wall, "imports": before}))


if __name__ == "__main__":
    main(sys.argv[1])
