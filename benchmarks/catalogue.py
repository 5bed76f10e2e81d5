"""The catalogue: what is measured, what is measured together, and what is claimed of it. Plain data: nothing measured is imported."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

SIZES: Final = (1, 4, 16, 64, 256, 1024, 4096, 16384, 65536)
SEATS: Final = (2, 3, 4, 6, 8)


@dataclass(frozen=True)
class Workload:
    """One thing that is measured, in a process of its own.

    Attributes:
        name: for ``--only`` and the results.
        label: what a reader sees.
        maker: the function that makes its measurement, ``"module:function"``.
        arguments: of that function, besides ``seconds``.
        peer: the package that is measured, None for ourselves.
        unit: of the value; decisions a second, or seconds, or bytes.
        seconds: of a repetition.
        repetitions: at most so many, None for as many as asked for.
        pinned: whether it runs on one core with one thread.
    """

    name: str
    label: str
    maker: str
    arguments: Mapping[str, int | str] = field(default_factory=dict)
    peer: str | None = None
    unit: str = "decisions/s"
    seconds: float = 0.5
    repetitions: int | None = None
    pinned: bool = True


@dataclass(frozen=True)
class Group:
    """Workloads that are measured in turn, so that whatever slows the machine down hits all of them.

    Attributes:
        name: for ``--only`` and the results.
        title: a heading.
        note: one sentence for the reader.
        workloads: in the order of the table.
    """

    name: str
    title: str
    note: str
    workloads: tuple[Workload, ...]


@dataclass(frozen=True)
class Claim:
    """A statement about results, checked in every run.

    Attributes:
        text: the statement.
        ours: the workload it is about.
        goal: the number to reach.
        peers: if given, the value is the ratio to the best of these.
        figure: which number of the samples.
        at_most: whether the number must stay below the goal.
    """

    text: str
    ours: str
    goal: float
    peers: tuple[str, ...] = ()
    figure: str = "value"
    at_most: bool = False


def _batched() -> tuple[Workload, ...]:
    return (
        *(Workload(f"batch-{n}", f"`Batch`, {n} games", "ours:batch_play", {"size": n}) for n in SIZES),
        *(Workload(f"step-{n}", f"`Batch.step` alone, {n} games", "ours:batch_replay", {"size": n}) for n in SIZES),
        *(
            Workload(f"seats-{s}", f"`Batch`, 1024 games, {s} seats", "ours:batch_play", {"size": 1024, "seats": s})
            for s in SEATS
            if s != 2
        ),
        Workload("rollout-64", "the rules alone, 64 games", "ours:rules_alone", {"size": 64}),
        Workload("rollout-1024", "the rules alone, 1024 games", "ours:rules_alone", {"size": 1024}),
        Workload("vector-random", "`TrucoVector`, 1024, random opponent", "ours:gymnasium_vector", {"size": 1024, "opponent": "random"}),
        Workload(
            "vector-maestro", "`TrucoVector`, 1024, `maestro` opponent", "ours:gymnasium_vector", {"size": 1024, "opponent": "maestro"}
        ),
        *(
            Workload(f"pgx-{n}", f"Pgx leduc_holdem, {n} games", "peers:pgx", {"game": "leduc_holdem", "size": n}, "pgx")
            for n in (1024, 8192)
        ),
    )


def _threads() -> tuple[Workload, ...]:
    return tuple(
        Workload(
            f"threads-{'all' if threads == 0 else threads}-{size}",
            f"`Batch.step` alone, {size} games, {'a thread for each core, of 2,048 games or more' if threads == 0 else 'one thread'}",
            "ours:batch_threads",
            {"size": size, "threads": threads},
            pinned=False,
        )
        for size in (4096, 16384, 65536)
        for threads in (1, 0)
    )


def _single() -> tuple[Workload, ...]:
    def pettingzoo(game: str, maker: str) -> Workload:
        name = f"{game.split('_')[0]}-{maker.replace('_', '-')}"
        return Workload(name, f"PettingZoo {game} `{maker}()`", "peers:pettingzoo", {"game": game, "maker": maker}, "pettingzoo")

    def open_spiel(name: str, game: str, tensor: str) -> Workload:
        label = f"OpenSpiel {game.partition('(')[0]}, {tensor}"
        return Workload(name, label, "peers:open_spiel", {"game": game, "tensor": tensor}, "open_spiel")

    return (
        Workload("raw-env", "`truco_v0.raw_env()`", "ours:aec", {"maker": "raw_env"}),
        Workload("env", "`truco_v0.env()`", "ours:aec", {"maker": "env"}),
        Workload("game", "`Game`: legal names, and one played", "ours:game_by_name"),
        Workload("game-play", "`Game.play` by name", "ours:game_play"),
        Workload("gym", "`TrucoGym`, random opponent", "ours:gymnasium_single"),
        *(pettingzoo(game, maker) for game in ("texas_holdem_v4", "leduc_holdem_v4") for maker in ("raw_env", "env")),
        Workload("rlcard", "RLCard limit-holdem", "peers:rlcard", {"game": "limit-holdem"}, "rlcard"),
        open_spiel("spiel-leduc", "leduc_poker", "information_state_tensor"),
        open_spiel("spiel-holdem", LIMIT_HOLDEM, "information_state_tensor"),
        open_spiel("spiel-skat", "skat", "observation_tensor"),
        Workload("pytruco", "pytruco, 2 players, no observation", "peers:pytruco", {}, "pytruco"),
    )


def _training(prefix: str, time_of: str) -> tuple[Workload, ...]:
    def training(name: str, label: str, maker: str, **arguments: int | str) -> Workload:
        arguments = {"time_of": time_of, "opponent": "random", **arguments}
        return Workload(f"{prefix}-{name}", label, f"training:{maker}", arguments, seconds=2.0, pinned=time_of == "cpu")

    return (
        training("shared", "`train.py`, shared layers", "native", net="shared"),
        training("maestro", "`train.py`, shared layers, `maestro` opponent", "native", net="shared", opponent="maestro"),
        training("separate", "`train.py`, separate layers", "native", net="separate"),
        training("stock", "sb3-contrib as it is, `TrucoVecEnv` (1024)", "stock"),
        training("dummy", "sb3-contrib as it is, `DummyVecEnv` (16)", "tutorial", kind="dummy", envs=16),
        training("subproc", "sb3-contrib as it is, `SubprocVecEnv` (4)", "tutorial", kind="subproc", envs=4),
    )


def _starts() -> tuple[Workload, ...]:
    def start(name: str, label: str, stage: str, cold: int = 0) -> Workload:
        return Workload(name, label, "start:start", {"stage": stage, "cold": cold}, unit="s", repetitions=5)

    return (
        start("import", "`import truco_env`", "import"),
        start("import-names", "`import truco_env` and all of its public names", "names"),
        start("warm-aec", "`truco_v0.env()`: import, reset, first step", "aec"),
        start("warm-batch", "`Batch`: import, reset, first step", "batch"),
        start("warm-whole", "everything: import and first use", "whole"),
        start("cold-aec-whole", "`truco_v0.env()`: all that it offers, compiled", "aec_whole", 1),
        start("cold-whole", "everything compiled: environments, batch, `Game`", "whole", 1),
        start("cold-learning", "the same with `LearnerBatch` and the rule-based agents", "learning", 1),
    )


#: Limit hold'em for two, as in OpenSpiel's own definition.
LIMIT_HOLDEM: Final = (
    "universal_poker(betting=limit,numPlayers=2,numRounds=4,blind=10 5,firstPlayer=2 1 1 1,numSuits=4,numRanks=13,"
    "numHoleCards=2,numBoardCards=0 3 1 1,raiseSize=10 10 20 20,maxRaises=3 4 4 4)"
)

GROUPS: Final = (
    Group("batched", "Many games at once", "One core; random legal play, with observation and mask at every decision.", _batched()),
    Group("threads", "Many games on all cores", "By wall-clock time.", _threads()),
    Group("single", "One game, driven from Python", "One core; random legal play, with observation and mask at every decision.", _single()),
    Group(
        "training",
        "MaskablePPO, `learn()`, by CPU time",
        "One core, the CPU time of worker processes included; hidden layers 2 x 128, 4 epochs, the same rollout and minibatch for all.",
        _training("train", "cpu"),
    ),
    Group(
        "cores",
        "MaskablePPO, `learn()`, on all cores",
        "The same by wall-clock time, as fast as the cores allow.",
        _training("cores", "wall"),
    ),
    Group("start", "Starting", "CPU seconds beyond the imports of numpy, gymnasium and pettingzoo, each in a fresh process.", _starts()),
    Group(
        "memory",
        "Memory",
        "Growth of the process that plays a `Batch`, with observations and masks.",
        (Workload("memory-million", "`Batch`, 1,000,000 games", "ours:memory", {"size": 1_000_000}, unit="bytes", repetitions=1),),
    ),
)

WORKLOADS: Final = {workload.name: workload for group in GROUPS for workload in group.workloads}

CLAIMS: Final = (
    Claim("`Batch`, 1024 games, against Pgx leduc_holdem at its best batch", "batch-1024", 4, ("pgx-1024", "pgx-8192")),
    Claim("`Batch.step` alone, 1024 games, against Pgx leduc_holdem at its best batch", "step-1024", 4, ("pgx-1024", "pgx-8192")),
    Claim("`Batch.step` alone, 16384 games, all cores against one", "threads-all-16384", 1.5, ("threads-1-16384",)),
    Claim("`Batch.step` alone, 1024 games, decisions a second", "step-1024", 10e6),
    Claim("random rollouts without observation, decisions a second", "rollout-64", 15e6),
    Claim("random rollouts without observation, 1024 games, decisions a second", "rollout-1024", 15e6),
    Claim("`raw_env()` against texas_holdem_v4 `raw_env()`", "raw-env", 20, ("texas-raw-env",)),
    Claim("`env()` against texas_holdem_v4 `env()`", "env", 8, ("texas-env",)),
    Claim("`Game.play` by name, moves a second", "game-play", 100e3),
    Claim("`learn()` of `train.py` against `SubprocVecEnv` (4), the same network, all cores", "cores-separate", 10, ("cores-subproc",)),
    Claim("`learn()` of `train.py` against `SubprocVecEnv` (4), the same network, CPU time", "train-separate", 10, ("train-subproc",)),
    Claim("share of environment, masks and opponents in `learn()`, against `maestro`", "train-maestro", 0.15, figure="share", at_most=True),
    Claim("cold: CPU seconds to compile all of `truco_v0.env()`", "cold-aec-whole", 20, at_most=True),
    Claim("cold: CPU seconds to compile everything, the learner batch and the rule-based agents", "cold-learning", 35, at_most=True),
    Claim("`import truco_env` and all of its public names, CPU seconds", "import-names", 0.4, at_most=True),
    Claim("warm: CPU seconds to the first step of `truco_v0.env()`", "warm-aec", 1, at_most=True),
    Claim("a million games, bytes", "memory-million", 2 * 2**30, at_most=True),
)
