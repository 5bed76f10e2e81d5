"""The command line of the benchmarks."""

from __future__ import annotations

import argparse
import os
import shlex
import shutil
import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Final

from benchmarks.catalogue import GROUPS, WORKLOADS
from benchmarks.page import PageError, tables, write_page
from benchmarks.race import ROOT, Course, race
from benchmarks.results import Machine, Results, ResultsError

_ROUNDS: Final = 5
_QUICK_ROUNDS: Final = 2


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks",
        description="Measure truco_env beside its peers: CPU time on one core, in turn, medians. Without --only or --quick the results "
        "are also written into docs/benchmarks.md.",
    )
    parser.add_argument("--only", nargs="+", metavar="NAME", help="only these workloads or groups (see --list)")
    parser.add_argument("--list", action="store_true", help="print the names of all groups and workloads")
    parser.add_argument("--quick", action="store_true", help=f"a tenth of the time for each repetition, and {_QUICK_ROUNDS} of them")
    parser.add_argument("--repetitions", type=int, metavar="N", help=f"of each workload (default: {_ROUNDS})")
    parser.add_argument("--core", type=int, default=-1, metavar="N", help="the core to pin to (default: the last)")
    parser.add_argument("--peers-python", default=sys.executable, metavar="PATH", help="the interpreter of the peers (default: this one)")
    parser.add_argument("--page", type=Path, metavar="PATH", help="the page to write the results into (default: docs/benchmarks.md)")
    parser.add_argument("--results", type=Path, default=Path("runs/benchmarks.json"), metavar="PATH", help="where to keep every sample")
    parser.add_argument("--resume", action="store_true", help="go on with an interrupted run: groups that it finished are kept")
    parser.add_argument("--from", dest="saved", type=Path, metavar="PATH", help="measure nothing: write the page from kept results")
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit status: 1 if something of ours could not be measured, 130 if interrupted."""
    parser = _parser()
    given = parser.parse_args(arguments)
    if given.list:
        for group in GROUPS:
            print(f"{group.name}: {group.title}")
            print(*(f"  {workload.name:16} {workload.label}" for workload in group.workloads), sep="\n")
        return 0
    unknown = [name for name in given.only or [] if name not in WORKLOADS and name not in {group.name for group in GROUPS}]
    if unknown:
        parser.error(f"--only {unknown[0]!r} is not known: see --list")
    cores = sorted(os.sched_getaffinity(0))
    if given.core not in (-1, *cores):
        parser.error(f"--core {given.core} is not available: choose one of {', '.join(map(str, cores))}")
    page = given.page or (None if given.only or given.quick else ROOT / "docs" / "benchmarks.md")
    try:
        results = Results.load(given.saved) if given.saved else _measure(given, cores)
        print(tables(results))
        if page is not None:
            write_page(results, page)
            print(f"\nThe page is {page}.")
    except KeyboardInterrupt:
        print(f"\nInterrupted: the finished groups are in {given.results}; go on with --resume.", file=sys.stderr)
        return 130
    except (OSError, PageError, ResultsError) as error:
        print(f"python -m benchmarks: {error}", file=sys.stderr)
        return 1
    return int(any(outcome.failed for name, outcome in results.outcomes.items() if WORKLOADS[name].peer is None))


def _measure(given: argparse.Namespace, cores: list[int]) -> Results:
    course = Course(
        core=cores[-1] if given.core < 0 else given.core,
        repetitions=given.repetitions or (_QUICK_ROUNDS if given.quick else _ROUNDS),
        quick=given.quick,
        peers=str(Path(shutil.which(given.peers_python) or given.peers_python).absolute()),
    )
    results = Results(_command(given), Machine.here(), loads=[os.getloadavg()[0]])
    if given.resume:
        results = results.resumed(given.results)
    for group in GROUPS:
        chosen = [w for w in group.workloads if not given.only or w.name in given.only or group.name in given.only]
        if any(workload.name not in results.outcomes for workload in chosen):
            results.outcomes |= race(chosen, course, partial(_say, f"{group.name}: "))
            results.loads.append(os.getloadavg()[0])
            results.save(given.results)
    _say("", "")
    print(f"Every sample is in {given.results}.\n")
    return results


def _command(given: argparse.Namespace) -> str:
    """Return the command line, without what is of this machine only."""
    words = ["python", "-m", "benchmarks"]
    if given.only:
        words += ["--only", *given.only]
    words += ["--quick"] * given.quick
    if given.repetitions:
        words += ["--repetitions", str(given.repetitions)]
    if given.peers_python != sys.executable:
        path = Path(given.peers_python)
        words += ["--peers-python", path.name if path.is_absolute() else str(path)]
    return shlex.join(words)


def _say(head: str, words: str) -> None:
    """Show what is going on, on one line of a terminal, line by line elsewhere."""
    if sys.stderr.isatty():
        print(f"\r\033[K{head}{words}", end="", file=sys.stderr, flush=True)
    elif words:
        print(head + words, file=sys.stderr, flush=True)
