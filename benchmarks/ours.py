"""What is measured of truco_env: the batch, the rules alone, the environments, and ``Game`` by name."""

from __future__ import annotations

import os
import random
import resource
import time
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from benchmarks.meter import Measurement, Run, Sample, rate_of
from benchmarks.peers import play_aec
from truco_env import Batch, Game, Rules, TrucoGym, TrucoVector, pick_uniform, truco_v0
from truco_env.engine.record import GAME_DTYPE
from truco_env.observation.layout import layout_of
from truco_env.rules.actions import N_ACTIONS

#: The tables that scaling is measured on: seats to rule set and options.
TABLES: Final[dict[int, tuple[str, dict[str, object]]]] = {
    2: ("argentino", {}),
    3: ("argentino", {}),
    4: ("argentino", {}),
    6: ("argentino", {}),
    8: ("reglamento", {"allow_8": True}),
}
_REPLAYED: Final = 1 << 18  # decisions


def table_of(seats: int) -> Rules:
    """Return the rules of the table with so many seats."""
    ruleset, options = TABLES[seats]
    return Rules(ruleset, seats, **options)


def _started(size: int, seats: int, threads: int = 1) -> Batch:
    batch = Batch(table_of(seats), size, threads=threads)
    batch.reset(1)
    return batch


def batch_play(seconds: float, size: int, seats: int = 2) -> Measurement:
    """``Batch``: random legal play, the choice of actions included; observations and masks are written at every step."""
    batch, rng = _started(size, seats), np.random.default_rng(1)

    def run(steps: int) -> int:
        calls = -(-steps // size)
        for _ in range(calls):
            batch.step(pick_uniform(batch.masks, rng))
        return calls * size

    return rate_of(run, seconds)


def _recorded(size: int, seats: int, threads: int) -> tuple[Batch, npt.NDArray[np.uint8], list[npt.NDArray[np.int64]]]:
    """A batch, a state of it in which the matches are at different points, and the actions of the steps that follow."""
    batch, rng, record = _started(size, seats, threads), np.random.default_rng(1), []
    for _ in range(200):
        batch.step(pick_uniform(batch.masks, rng))
    start = batch.save()
    for _ in range(max(16, _REPLAYED // size)):
        record.append(pick_uniform(batch.masks, rng))
        batch.step(record[-1])
    return batch, start, record


def batch_replay(seconds: float, size: int, seats: int = 2) -> Measurement:
    """``Batch.step`` alone, observations and masks included: recorded actions are played again from the same position."""
    batch, start, record = _recorded(size, seats, 1)

    def run(steps: int) -> int:
        done = 0
        while done < steps:
            batch.restore(start)
            for actions in record:
                batch.step(actions)
            done += len(record) * size
        return done

    return rate_of(run, seconds)


def batch_threads(seconds: float, size: int, threads: int) -> Measurement:
    """``Batch.step`` by wall-clock time, with so many threads (0: one for each core)."""
    batch, start, record = _recorded(size, 2, threads or len(os.sched_getaffinity(0)))

    def measure() -> Sample:
        steps, spent = 0, 0.0
        while spent < seconds:
            batch.restore(start)
            began = time.perf_counter()
            for actions in record:
                batch.step(actions)
            spent += time.perf_counter() - began
            steps += len(record) * size
        return {"value": steps / spent, "steps": steps, "threads": batch.threads}

    return measure


def rules_alone(seconds: float, size: int) -> Measurement:
    """Random play inside compiled code, without observations."""
    from benchmarks.rollout import Rollout

    rollout = Rollout(table_of(2), size, 1)

    def run(steps: int) -> int:
        rounds = -(-steps // size)
        rollout.play(rounds)
        return rounds * size

    return rate_of(run, seconds)


def aec(seconds: float, maker: str) -> Measurement:
    """``truco_v0.env`` or ``truco_v0.raw_env``, as its PettingZoo peers are played."""
    env: Any = getattr(truco_v0, maker)()
    return rate_of(play_aec(env), seconds)


def game_by_name(seconds: float) -> Measurement:
    """``Game``: the names of the legal moves are read and one is played, at every decision."""
    return rate_of(_play_game(choose=True), seconds)


def game_play(seconds: float) -> Measurement:
    """``Game.play`` by name alone: recorded names are played again."""
    return rate_of(_play_game(choose=False), seconds)


def _play_game(*, choose: bool) -> Run:
    draw = random.Random(1).random
    first = Game()
    first.deal(seed=1)
    names: list[str] = []
    while not first.match_over:
        if first.hand_over:
            first.next_hand()
        legal = first.legal
        names.append(legal[int(draw() * len(legal))])
        first.play(names[-1])

    def random_match() -> int:
        done = 0
        game = Game()
        game.deal(seed=int(draw() * 2**32))
        while not game.match_over:
            if game.hand_over:
                game.next_hand()
            legal = game.legal
            game.play(legal[int(draw() * len(legal))])
            done += 1
        return done

    def known_match() -> int:
        game = Game()
        game.deal(seed=1)
        for name in names:
            if game.hand_over:
                game.next_hand()
            game.play(name)
        return len(names)

    def run(steps: int) -> int:
        done = 0
        while done < steps:
            done += random_match() if choose else known_match()
        return done

    return run


def gymnasium_single(seconds: float) -> Measurement:
    """``TrucoGym`` against the random agent; what counts is the learner's decisions."""
    env = TrucoGym(opponents="random")
    draw = random.Random(1).random
    _, info = env.reset(seed=1)

    def run(steps: int) -> int:
        nonlocal info
        for _ in range(steps):
            legal = info["action_mask"].nonzero()[0]
            _, _, terminated, _, info = env.step(legal[int(draw() * len(legal))])
            if terminated:
                _, info = env.reset()
        return steps

    return rate_of(run, seconds)


def gymnasium_vector(seconds: float, size: int, opponent: str) -> Measurement:
    """``TrucoVector`` against an agent that plays in batches; what counts is the learner's decisions."""
    env = TrucoVector(size, opponents=opponent)
    rng = np.random.default_rng(1)
    env.reset(seed=1)
    masks = env.action_masks().astype(np.int8)

    def run(steps: int) -> int:
        nonlocal masks
        calls = -(-steps // size)
        for _ in range(calls):
            masks = env.step(pick_uniform(masks, rng))[4]["action_mask"]
        return calls * size

    return rate_of(run, seconds)


def memory(seconds: float, size: int) -> Measurement:
    """A ``Batch`` of ``size`` games, played for a few steps: bytes of the process per game, and what a game and its view take."""
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    batch = _started(size, 2)
    sample: Sample = {"game": GAME_DTYPE.itemsize, "mask": N_ACTIONS}
    sample |= {f"observation_{seats}": layout_of(table_of(seats)).size for seats in TABLES}
    batch.step(pick_uniform(batch.masks, np.random.default_rng(1)))
    sample["value"] = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) * 1024
    return lambda: sample
