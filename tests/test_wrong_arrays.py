"""Wrong arrays at every public entry that takes arrays: a documented error or a sound answer, and memory stays whole.

The calls are made in a process of their own, in which compiled code checks every index.
"""

from __future__ import annotations

import os
import subprocess
import sys
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pytest

from truco_agents.ppo.network import Architecture, Network
from truco_env import Batch, Rules, TrucoVector, decode, make_agent, pick_uniform
from truco_env.batch.learner import LearnerBatch
from truco_env.observation.layout import layout_of
from truco_env.observation.state import decode_state, state_layout_of
from truco_env.rules.actions import N_ACTIONS

TABLES: Final = (
    Rules("argentino"),
    Rules("argentino", 3, senas="free"),
    Rules("argentino", 4, senas="free", sena_catch=0.2),
    Rules("argentino", 6, pica_pica=True),
    Rules("reglamento", 8, allow_8=True),
    Rules("truc_valencia", 4),
    Rules("trucomano", best_of=3),
)
SIZE: Final = 6
ROUNDS: Final = 250
_DTYPES: Final = (np.int8, np.uint8, np.int64, np.uint64, np.float32, np.float64, np.bool_, np.complex128, object, "U3")


def wrong_arrays(rng: np.random.Generator, shape: tuple[int, ...]) -> Iterator[Any]:
    """Arrays of which nearly all do not belong where one of this shape does: other shapes, types, values, and no arrays at all."""
    shapes = [
        shape,
        shape[:-1],
        (*shape, 1),
        (0, *shape[1:]),
        *((*shape[:i], max(n + d, 0), *shape[i + 1 :]) for i, n in enumerate(shape) for d in (-1, 1)),
    ]
    for _ in range(ROUNDS):
        chosen = shapes[rng.integers(len(shapes))] if rng.random() < 0.5 else shape
        dtype = _DTYPES[rng.integers(len(_DTYPES))] if rng.random() < 0.5 else _DTYPES[rng.integers(4)]
        span = (2, 40, 200, 2**62)[rng.integers(4)]
        values = rng.integers(-span if rng.random() < 0.5 else 0, span, size=chosen)
        yield values.astype(dtype)
    yield from (None, 3, 1.5, "7O", [], [[1], [1, 2]], {}, np.zeros(shape)[..., ::-1], np.full(shape, np.nan))


def outcomes(call: Callable[[Any], object], arrays: Iterator[Any]) -> tuple[int, int]:
    """Call with each array; return how many were taken and how many refused. Any error but a one-line ValueError is a failure."""
    taken = refused = 0
    for array in arrays:
        try:
            call(array)
            taken += 1
        except ValueError as error:
            assert str(error).strip(), "an error is a sentence"
            refused += 1
    return taken, refused


def observations_like(rng: np.random.Generator, rules: Rules) -> Iterator[npt.NDArray[np.int8]]:
    """Arrays of the right shape and type: random bytes, and entries within their bounds that no game brings together."""
    layout = layout_of(rules)
    for _ in range(ROUNDS):
        yield rng.integers(-128, 128, (SIZE, layout.size), dtype=np.int8)
        inside = rng.integers(layout.low, layout.high.astype(np.int16) + 1, (SIZE, layout.size)).astype(np.int8)
        yield inside
        yield np.where(rng.random(inside.shape) < rng.random(), np.clip(0, layout.low, layout.high), inside).astype(np.int8)


def check_batch(rules: Rules, rng: np.random.Generator) -> None:
    batch = Batch(rules, SIZE, keep_finals=True)
    batch.reset(1)
    rows, viewers = np.arange(SIZE), batch.viewers.copy()

    def look_on(array: Any) -> None:
        try:
            with np.errstate(all="ignore"), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                batch.viewers[:] = array
            batch.step(batch.masks.argmax(axis=1))
        except (TypeError, OverflowError) as error:  # NumPy's own, of the assignment
            raise ValueError(str(error)) from error
        finally:
            batch.viewers[:] = viewers

    for call in (
        batch.step,
        lambda array: batch.step_rows(array, batch.masks.argmax(axis=1)),
        lambda array: batch.step_rows(rows, array),
        lambda array: batch.reset_rows(array, np.arange(SIZE, dtype=np.uint64)),
        lambda array: batch.reset_rows(rows, array),
        lambda array: batch.observe(array, np.zeros(SIZE, dtype=int)),
        lambda array: batch.observe(rows, array),
        look_on,
    ):
        assert outcomes(call, wrong_arrays(rng, (SIZE,)))[1] > ROUNDS // 2
    assert outcomes(batch.restore, wrong_arrays(rng, batch.save().shape))[0] == 0
    batch.step(batch.masks.argmax(axis=1))


def check_learner(rules: Rules, rng: np.random.Generator) -> None:
    agent = make_agent("random", rules)
    batch = LearnerBatch(rules, SIZE, [agent], illegal="forfeit", seed=1)
    batch.reset()
    saved = batch.save()
    for call in (batch.step, batch.reset_rows, lambda array: batch.reset_rows(np.arange(SIZE), array)):
        assert outcomes(call, wrong_arrays(rng, (SIZE,)))[1] > ROUNDS // 2
    for name, value in saved.items():
        for array in wrong_arrays(rng, value.shape or (1,)):
            if isinstance(array, np.ndarray) and (array.dtype, array.shape) == (value.dtype, value.shape) and np.array_equal(array, value):
                continue  # the right one, by chance or because it is empty
            with pytest.raises(ValueError, match="the saved state is damaged"):
                batch.restore({**saved, name: array}, {0: agent})
    batch.restore(saved, {0: agent})


def check_agents(rules: Rules, rng: np.random.Generator) -> None:
    layout = layout_of(rules)
    batch = Batch(rules, SIZE)
    batch.reset(2)
    for name in ("random", "prudente", "bravo", "maestro", "maestro:mute"):
        agent = make_agent(name, rules)

        def act(observations: Any, masks: Any, agent: Any = agent) -> None:
            actions = agent.act(observations, masks, rng, np.arange(SIZE))
            assert actions.shape == (len(masks),)

        if name != "random":
            outcomes(lambda array, act=act: act(array, batch.masks), wrong_arrays(rng, (SIZE, layout.size)))  # type: ignore[misc]
        outcomes(lambda array, act=act: act(batch.observations, array), wrong_arrays(rng, (SIZE, N_ACTIONS)))  # type: ignore[misc]
        taken, _ = outcomes(lambda array, act=act: act(array, batch.masks), observations_like(rng, rules))  # type: ignore[misc]
        assert taken > ROUNDS, "entries within bounds are read"


def check_network(rules: Rules, rng: np.random.Generator) -> None:
    layout = layout_of(rules)
    architecture = Architecture(layout.size, N_ACTIONS, (8,), (8,), ())
    weights = {name: rng.normal(size=shape).astype(np.float32) for name, shape in architecture.shapes().items()}
    network = Network(architecture, weights, layout.scale)
    observations, masks = np.zeros((SIZE, layout.size), dtype=np.int8), np.ones((SIZE, N_ACTIONS), dtype=np.int8)
    draws = rng.random(SIZE)
    outcomes(lambda array: network.act(array, masks, draws), wrong_arrays(rng, observations.shape))
    outcomes(lambda array: network.act(observations, array, draws), wrong_arrays(rng, masks.shape))
    outcomes(lambda array: network.act(observations, masks, array), wrong_arrays(rng, draws.shape))


def check_readers(rules: Rules, rng: np.random.Generator) -> None:
    outcomes(lambda array: pick_uniform(array, rng), wrong_arrays(rng, (SIZE, N_ACTIONS)))
    outcomes(lambda array: decode(array, rules), wrong_arrays(rng, (layout_of(rules).size,)))
    outcomes(lambda array: decode_state(array, rules), wrong_arrays(rng, (state_layout_of(rules).size,)))
    outcomes(lambda rows: [decode(row, rules) for row in rows], observations_like(rng, rules))
    envs = TrucoVector(SIZE, rules, opponents="random")
    envs.reset(seed=1)
    outcomes(envs.step, wrong_arrays(rng, (SIZE,)))


def check_all() -> None:
    rng = np.random.default_rng(7)
    for rules in TABLES:
        for check in (check_batch, check_learner, check_agents, check_network, check_readers):
            check(rules, rng)
            print(rules.ruleset, rules.players, check.__name__, flush=True)


@pytest.mark.slow
def test_wrong_arrays_give_documented_errors_and_touch_no_other_memory(tmp_path: Path) -> None:
    root = Path(__file__).resolve().parent.parent
    environment = {
        **os.environ,
        "NUMBA_BOUNDSCHECK": "1",
        "NUMBA_CACHE_DIR": str(tmp_path),
        "PYTHONPATH": os.pathsep.join([str(root), *sys.path]),
    }
    command = [sys.executable, "-X", "faulthandler", "-m", "tests.test_wrong_arrays"]
    done = subprocess.run(command, cwd=root, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-500:] + done.stderr[-3000:]
    assert done.stdout.count("check_readers") == len(TABLES)


if __name__ == "__main__":
    check_all()
