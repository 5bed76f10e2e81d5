"""The worker: a process that prepares one workload and repeats it when it is told to.

It reads ``go`` line by line from the standard input and answers each, and its own start, with a line of JSON.
"""

from __future__ import annotations

import json
import os
import sys
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from benchmarks.catalogue import WORKLOADS, Workload

PACKAGES = (
    "numpy",
    "numba",
    "torch",
    "stable-baselines3",
    "sb3-contrib",
    "gymnasium",
    "pettingzoo",
    "rlcard",
    "open_spiel",
    "pgx",
    "jax",
    "pytruco",
)


def prepare(workload: Workload, seconds: float) -> Any:
    """Import what is measured and make the measurement."""
    module, _, function = workload.maker.partition(":")
    return getattr(import_module(f"benchmarks.{module}"), function)(seconds, **workload.arguments)


def versions() -> dict[str, str]:
    """Return the versions of the packages that this interpreter has."""
    found = {}
    for package in PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return found


def main(name: str, seconds: float, core: int) -> None:
    """Serve the workload ``name`` on a core (-1: on all of them)."""
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # what libraries print must not get between the answers

    def answer(message: dict[str, Any]) -> None:
        answers.write(json.dumps(message) + "\n")
        answers.flush()

    if core >= 0:
        os.sched_setaffinity(0, {core})
    workload = WORKLOADS[name]
    try:
        measure = prepare(workload, seconds)
    except ModuleNotFoundError as error:
        if workload.peer is None:
            raise
        answer({"skipped": f"{error.name} is not installed"})
        return
    answer({"versions": versions(), "python": sys.version.split()[0]})
    for _ in sys.stdin:
        answer(measure())


if __name__ == "__main__":
    main(sys.argv[1], float(sys.argv[2]), int(sys.argv[3]))
