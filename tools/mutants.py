"""Mutants of the rules: change the engine in one small place after another, and list the changes that no test notices.

    make mutants    or    NUMBA_DISABLE_JIT=1 python -m tools.mutants [--count N --seed S] [--modules flor envido] [--workers 2]

Each mutant runs in a process forked from one that has read everything: first the case files, then a sample of the traces, then the tests
of the rules, then all traces (``--quick`` leaves these out), up to the first that fails. Results are appended to a file of JSON lines as
they come; the next run goes on after them, and tries survivors again with ``--survivors``. Mutants that change nothing a player or a
reader of the record can notice are listed in ``tools/equivalent_mutants.yaml``, each with the reason. Exit status: 0 all others were
caught, 1 some survived, 2 the tests fail on the engine as it is, or an entry of that list names no mutant.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import random
import signal
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import Any, Final

import pytest
import yaml

import truco_env.engine
from tools.mutation import Mutant, find_mutants
from truco_env.conformance.cases import Case, find_files, load_cases, run_case
from truco_env.conformance.traces import Trace, load_traces, run_trace
from truco_env.engine.jit import JIT
from truco_env.engine.rules_record import record_of

_ROOT: Final = Path(__file__).resolve().parent.parent
_DATA: Final = _ROOT / "tests" / "data"
_EQUIVALENT: Final = Path(__file__).with_name("equivalent_mutants.yaml")
_TESTS: Final = (
    *sorted(str(path) for path in (_ROOT / "tests").glob("test_rules_*.py")),
    *(str(_ROOT / "tests" / f"test_{name}.py") for name in ("game", "playthroughs")),
)
#: Not rules: how they are compiled, labels, machine code that has a plain twin.
_SKIPPED_MODULES: Final = ("jit", "prefetch", "record", "record_types")
_SKIPPED_FUNCTIONS: Final = ("_is_flat", "_part_of", "_compile_count_bits", "_compile_spread_bits", "_compile_gather_bits")
_SAMPLE: Final = 8  # traces of each table
_SECONDS: Final = 240  # a mutant that takes longer hangs

Test = Callable[[], str | None]


@dataclass(frozen=True)
class Result:
    """What became of a mutant, one line of the results file."""

    key: str
    line: int
    source: str
    """Hash of the module's source."""
    verdict: str
    """``killed``, ``hangs`` (which a test would notice) or ``survived``."""
    by: str
    """What noticed it."""
    seconds: float


def engine_mutants(names: Sequence[str] = ()) -> list[Mutant]:
    """Return the mutants of the engine's modules, or of those named."""
    folder = Path(str(truco_env.engine.__file__)).parent
    modules = [path.stem for path in sorted(folder.glob("*.py")) if path.stem not in ("__init__", *_SKIPPED_MODULES)]
    unknown = sorted(set(names) - set(modules))
    if unknown:
        raise SystemExit(f"Unknown module {unknown[0]!r}; choose from {', '.join(modules)}.")
    return [
        mutant for name in modules if not names or name in names for mutant in find_mutants(f"truco_env.engine.{name}", _SKIPPED_FUNCTIONS)
    ]


def equivalent_mutants() -> dict[str, str]:
    """Return the listed keys of mutants that change nothing, each with the reason."""
    entries: dict[str, list[str]] = yaml.safe_load(_EQUIVALENT.read_text(encoding="utf-8"))
    return {key: reason for reason, keys in entries.items() for key in keys}


# The tests, cheapest first.


def _stages() -> list[tuple[str, Test]]:
    cases = [case for file in find_files(_DATA / "cases") for case in load_cases(file)]
    traces = [trace for file in find_files(_DATA / "traces") for trace in load_traces(file)]
    tables: Counter[tuple[str, int]] = Counter()
    sample: list[Trace] = []
    rest: list[Trace] = []
    for trace in sorted(traces, key=lambda trace: sum(len(hand["steps"]) for hand in trace.values["hands"])):
        table = trace.values["ruleset"], trace.values["players"]
        tables[table] += 1
        (sample if tables[table] <= _SAMPLE else rest).append(trace)
    return [
        ("cases", lambda: _first_failure(cases, run_case)),
        ("sample of traces", lambda: _first_failure(sample, run_trace)),
        ("tests", _run_tests),
        ("traces", lambda: _first_failure(rest, run_trace)),
    ]


def _first_failure(items: Iterable[Case] | Iterable[Trace], run: Callable[[Any], list[str]]) -> str | None:
    return next((str(item) for item in items if run(item)), None)


class _FirstFailure:
    """A pytest plugin that notes the first test that fails."""

    name: str | None = None

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed and self.name is None:
            self.name = report.nodeid.rpartition("/")[2]


def _run_tests() -> str | None:
    failure = _FirstFailure()
    status = pytest.main(["-x", "-q", "-p", "no:cacheprovider", "--rootdir", str(_ROOT), *_TESTS], [failure])
    return failure.name or (f"pytest ends with {status!r}" if status else None)


# One mutant, in a process of its own.


def _newest_source() -> int:
    """When a source or a test was last written: new tests against the rules in memory would catch every mutant, and prove nothing."""
    return max(path.stat().st_mtime_ns for folder in ("truco_env", "tests", "tools") for path in (_ROOT / folder).rglob("*.py"))


def _try_mutant(answers: Connection, mutant: Mutant | None, stages: Sequence[tuple[str, Test]]) -> None:
    """Carry a mutant out and send the name of what noticed it, or an empty text; ``None`` tries the engine as it is."""
    quiet = os.open(os.devnull, os.O_WRONLY)
    os.dup2(quiet, 1)
    os.dup2(quiet, 2)
    record_of.cache_clear()
    found = ""
    try:
        if mutant is not None:
            mutant.swap()
        for name, test in stages:
            failure = test()
            if failure is not None:
                found = f"{name}: {failure}"
                break
    except Exception as error:  # a mutant may raise anything
        found = f"{type(error).__name__}: {error}"
    answers.send(found)


class Trial:
    """A mutant that is being tried."""

    def __init__(self, mutant: Mutant | None, stages: Sequence[tuple[str, Test]]) -> None:
        """Start the process."""
        context = multiprocessing.get_context("fork")
        self.mutant = mutant
        self.answers, theirs = context.Pipe(duplex=False)
        self._process = context.Process(target=_try_mutant, args=(theirs, mutant, stages), daemon=True)
        self._began = time.perf_counter()
        self._process.start()
        theirs.close()

    @property
    def seconds(self) -> float:
        """How long it has been running."""
        return time.perf_counter() - self._began

    def finish(self) -> tuple[str, str]:
        """Return the verdict and what noticed the mutant; a process that is still running is ended."""
        verdict = ("hangs", "")
        if self.answers.poll():
            try:
                found = self.answers.recv()
                verdict = ("killed", found) if found else ("survived", "")
            except EOFError:
                verdict = ("killed", "the process died")
        if self._process.is_alive() and verdict[0] == "hangs":
            os.kill(self._process.pid or 0, signal.SIGKILL)
        self._process.join()
        self.answers.close()
        return verdict


def try_all(mutants: Sequence[Mutant], workers: int, stages: Sequence[tuple[str, Test]]) -> Iterator[Result]:
    """Try mutants, ``workers`` at a time, and yield the results as they come.

    Raises:
        SystemExit: the tests fail on the engine as it is, or a source was written meanwhile.
    """
    newest = _newest_source()
    original = Trial(None, stages)
    wait([original.answers])
    verdict, found = original.finish()
    if verdict != "survived":
        sys.stderr.write(f"The tests fail without any change: {found}\n")
        raise SystemExit(2)
    waiting, running = list(reversed(mutants)), list[Trial]()
    while waiting or running:
        while waiting and len(running) < workers:
            running.append(Trial(waiting.pop(), stages))
        wait([trial.answers for trial in running], timeout=1)
        for trial in [trial for trial in running if trial.answers.poll() or trial.seconds > _SECONDS]:
            if _newest_source() != newest:
                sys.stderr.write("A source or a test was written meanwhile; run again, in a copy that nobody edits.\n")
                raise SystemExit(2)
            running.remove(trial)
            seconds = round(trial.seconds, 2)
            verdict, found = trial.finish()
            assert trial.mutant is not None
            yield Result(trial.mutant.key, trial.mutant.line, trial.mutant.source, verdict, found, seconds)


# The command.


def _read_results(file: Path, mutants: Iterable[Mutant]) -> dict[str, Result]:
    """The stored results that are still of the present source."""
    if not file.exists():
        return {}
    sources = {mutant.key: mutant.source for mutant in mutants}
    stored = [Result(**json.loads(line)) for line in file.read_text(encoding="utf-8").splitlines()]
    return {result.key: result for result in stored if sources.get(result.key) == result.source}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return the exit status."""
    parser = argparse.ArgumentParser(prog="python -m tools.mutants", description="List small changes to the engine that no test notices.")
    parser.add_argument("--modules", nargs="+", default=[], metavar="NAME", help="only these modules of truco_env/engine")
    parser.add_argument("--count", type=int, help="only so many mutants, drawn at random")
    parser.add_argument("--seed", type=int, default=0, help="of the draw and the order (default 0)")
    parser.add_argument("--workers", type=int, default=1, help="mutants at a time (default 1)")
    parser.add_argument("--survivors", action="store_true", help="try stored survivors again")
    parser.add_argument("--out", type=Path, default=Path("runs/mutants.jsonl"), help="results file (default runs/mutants.jsonl)")
    parser.add_argument("--quick", action="store_true", help="only a sample of the traces")
    options = parser.parse_args(arguments)
    if JIT:
        parser.error("mutants need plain Python functions: set NUMBA_DISABLE_JIT=1")
    mutants, reasons = engine_mutants(options.modules), equivalent_mutants()
    stale = sorted(set(reasons) - {mutant.key for mutant in engine_mutants()})
    if stale:
        sys.stderr.write(f"{_EQUIVALENT.name} lists what is no mutant of the engine: {stale[0]}\n")
        return 2
    random.Random(options.seed).shuffle(mutants)
    mutants = [mutant for mutant in mutants if mutant.key not in reasons][: options.count]
    results = _read_results(options.out, mutants)
    done = {key for key, result in results.items() if result.verdict != "survived" or not options.survivors}
    left = [mutant for mutant in mutants if mutant.key not in done]
    stages = _stages()[: -1 if options.quick else None]
    options.out.parent.mkdir(parents=True, exist_ok=True)
    with options.out.open("a", encoding="utf-8") as lines:
        for number, result in enumerate(try_all(left, options.workers, stages) if left else (), 1):
            results[result.key] = result
            lines.write(json.dumps(asdict(result)) + "\n")
            lines.flush()
            if result.verdict == "survived" or number % 20 == 0:
                print(f"{number}/{len(left)}  line {result.line}  {result.verdict}: {result.key}", flush=True)
    counts = Counter(results[mutant.key].verdict for mutant in mutants)
    print(f"{len(mutants)} mutants: {', '.join(f'{count} {verdict}' for verdict, count in sorted(counts.items()))}")
    for mutant in mutants:
        if results[mutant.key].verdict == "survived":
            print(f"survived: {mutant.key}")
    return 1 if counts["survived"] else 0


if __name__ == "__main__":
    sys.exit(main())
