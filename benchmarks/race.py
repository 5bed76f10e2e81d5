"""The race: the workloads of a group, each in its own process, repeated in turn."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any, Final

from benchmarks.catalogue import Workload
from benchmarks.meter import Sample

ROOT: Final = Path(__file__).resolve().parent.parent
_THREADS: Final = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS", "VECLIB_MAXIMUM_THREADS")
_ONE_CORE_XLA: Final = "--xla_cpu_multi_thread_eigen=false"


@dataclass
class Outcome:
    """What came of a workload.

    Attributes:
        samples: one per repetition.
        versions: of the packages of its interpreter.
        skipped: why it was not measured, if so.
        failed: the last words of its process, if it broke off.
    """

    samples: list[Sample] = field(default_factory=list)
    versions: dict[str, str] = field(default_factory=dict)
    skipped: str | None = None
    failed: str | None = None


@dataclass(frozen=True)
class Course:
    """Where and how long a race is run.

    Attributes:
        core: the core of the pinned workloads.
        repetitions: of each workload.
        quick: whether repetitions are cut to a tenth of their time.
        peers: the interpreter of the peers.
    """

    core: int
    repetitions: int
    quick: bool
    peers: str

    def rounds(self, workload: Workload) -> int:
        """Return how often a workload is repeated."""
        return min(self.repetitions, workload.repetitions or self.repetitions)

    def command(self, workload: Workload) -> list[str]:
        """Return the command line of a workload's process."""
        python = sys.executable if workload.peer is None else self.peers
        seconds = workload.seconds / 10 if self.quick else workload.seconds
        return [python, "-m", "benchmarks.worker", workload.name, str(seconds), str(self.core if workload.pinned else -1)]

    def environment(self, workload: Workload) -> dict[str, str]:
        """Return its environment: one thread for everything, if it is pinned."""
        if not workload.pinned:
            return dict(os.environ)
        return {**os.environ, **dict.fromkeys(_THREADS, "1"), "XLA_FLAGS": _ONE_CORE_XLA, "JAX_PLATFORMS": "cpu"}


class _Runner:
    """The process of one workload."""

    def __init__(self, workload: Workload, course: Course) -> None:
        self.workload = workload
        self.outcome = Outcome()
        self._errors: IO[str] = tempfile.TemporaryFile("w+", encoding="utf-8")  # noqa: SIM115 - closed in stop()
        self._process: subprocess.Popen[str] = subprocess.Popen(
            course.command(workload),
            cwd=ROOT,
            env=course.environment(workload),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            text=True,
        )
        first = self._answer()
        self.outcome.skipped = first.get("skipped")
        self.outcome.versions = first.get("versions", {})

    @property
    def ready(self) -> bool:
        """Whether it can be repeated."""
        return self.outcome.skipped is None and self.outcome.failed is None

    def repeat(self) -> None:
        """Measure once more."""
        assert self._process.stdin is not None
        self._process.stdin.write("go\n")
        self._process.stdin.flush()
        sample = self._answer()
        if sample:
            self.outcome.samples.append(sample)

    def _answer(self) -> dict[str, Any]:
        """Return the process's next message, nothing if it broke off."""
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if line:
            message: dict[str, Any] = json.loads(line)
            return message
        self._errors.seek(0)
        words = self._errors.read().strip().splitlines()
        self.outcome.failed = words[-1] if words else f"ended with status {self._process.wait()}"
        return {}

    def stop(self) -> None:
        """End the process; one that waits for its next turn ends by itself when nobody can give it any."""
        assert self._process.stdin is not None and self._process.stdout is not None
        self._process.stdin.close()
        try:
            self._process.wait(timeout=10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._process.stdout.close()
        self._errors.close()


def race(workloads: Sequence[Workload], course: Course, progress: Callable[[str], None]) -> dict[str, Outcome]:
    """Measure workloads in turn: each round repeats every one of them once.

    Args:
        workloads: of one group.
        course: where and how long.
        progress: is told what is going on, in a few words.

    Returns:
        The outcomes by name, in the order of the workloads.
    """
    runners: list[_Runner] = []
    try:
        for workload in workloads:
            progress(f"preparing {workload.name}")
            runners.append(_Runner(workload, course))
            if not runners[-1].ready:
                progress(f"{workload.name}: {runners[-1].outcome.skipped or runners[-1].outcome.failed}")
        for k in range(course.repetitions):
            for runner in runners[k % len(runners) :] + runners[: k % len(runners)]:
                if runner.ready and k < course.rounds(runner.workload):
                    progress(f"round {k + 1} of {course.repetitions}: {runner.workload.name}")
                    runner.repeat()
        return {runner.workload.name: runner.outcome for runner in runners}
    finally:
        for runner in runners:
            runner.stop()
