"""Measurements: what a repetition is, and how its time is taken."""

from __future__ import annotations

import multiprocessing
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

Sample: TypeAlias = dict[str, float]
"""What a repetition gave: ``value``, in the unit of its workload, and whatever else is worth knowing."""

Measurement: TypeAlias = Callable[[], Sample]
"""One repetition, of the same work every time."""

Run: TypeAlias = Callable[[int], int]
"""Plays on for at least so many decisions and returns how many it was."""


def rate_of(run: Run, seconds: float) -> Measurement:
    """Return a measurement of decisions per second of CPU time.

    The number of decisions is fixed here, after warming up, so that a repetition takes about ``seconds``.

    Args:
        run: what is measured.
        seconds: CPU time of a repetition.
    """
    steps, spent = run(1), 0.0  # the first call loads or compiles code
    while spent < seconds / 2:
        began = time.process_time()
        done = run(steps)
        spent = time.process_time() - began
        steps = max(2 * steps, done)
    steps = max(1, int(done * seconds / spent))

    def measure() -> Sample:
        began, clock = time.process_time(), time.perf_counter()
        done = run(steps)
        cpu, wall = time.process_time() - began, time.perf_counter() - clock
        return {"value": done / cpu, "steps": done, "cpu": cpu, "wall": wall}

    return measure


def cpu_with_children() -> float:
    """Return the CPU seconds so far of this process and of the workers it started with ``multiprocessing``."""
    ticks = os.sysconf("SC_CLK_TCK")
    spent = time.process_time()
    for child in multiprocessing.active_children():
        fields = Path(f"/proc/{child.pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
        spent += (int(fields[11]) + int(fields[12])) / ticks
    return spent
