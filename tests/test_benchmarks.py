"""The benchmarks run: a workload of ours is measured, a missing peer is skipped by name, and the page keeps its prose."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from importlib import import_module
from inspect import signature
from pathlib import Path

import pytest

from benchmarks.catalogue import CLAIMS, GROUPS, WORKLOADS, Claim, Workload
from benchmarks.cli import main
from benchmarks.meter import rate_of
from benchmarks.page import BEGIN, END, PageError, short, write_page
from benchmarks.race import Outcome
from benchmarks.results import Machine, Results
from benchmarks.worker import prepare

MACHINE = Machine("a processor", 2, 2**33, "Linux", "3.11")


def results(**values: list[float]) -> Results:
    """A run with these values by workload, ``_`` for ``-``."""
    outcomes = {name.replace("_", "-"): Outcome([{"value": value} for value in samples]) for name, samples in values.items()}
    return Results("python -m benchmarks", MACHINE, outcomes=outcomes)


def test_a_run_measures_us_skips_what_is_not_installed_and_keeps_the_prose_of_the_page(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bare = tmp_path / "python"  # an interpreter that has no peers
    bare.write_text(f'#!/bin/sh\nexec {sys.executable} -S "$@"\n', encoding="utf-8")
    bare.chmod(0o755)
    page, kept = tmp_path / "page.md", tmp_path / "kept.json"
    page.write_text(f"# Before\n\n{BEGIN}\nstale\n{END}\n\nAfter.\n", encoding="utf-8")
    command = ["--quick", "--only", "step-64", "rlcard", "--peers-python", str(bare), "--page", str(page), "--results", str(kept)]
    assert main(command) == 0
    outcomes = json.loads(kept.read_text(encoding="utf-8"))["outcomes"]
    assert [sample["value"] > 0 for sample in outcomes["step-64"]["samples"]] == [True, True]
    assert outcomes["rlcard"]["skipped"] == "rlcard is not installed"
    text = page.read_text(encoding="utf-8")
    assert text.startswith("# Before\n") and text.endswith(f"{END}\n\nAfter.\n") and "stale" not in text
    assert "`Batch.step` alone, 64 games" in text and "skipped: rlcard is not installed" in text
    assert "`Batch.step` alone, 64 games" in capsys.readouterr().out

    assert main(["--from", str(kept), "--page", str(page)]) == 0
    assert page.read_text(encoding="utf-8") == text


def test_what_breaks_off_is_told_and_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NUMBA_NUM_THREADS", "1")
    monkeypatch.setattr("benchmarks.race.Course.command", lambda *_: [sys.executable, "-c", "raise SystemExit('out of luck')"])
    kept = tmp_path / "kept.json"
    assert main(["--quick", "--only", "step-64", "--results", str(kept)]) == 1
    assert json.loads(kept.read_text(encoding="utf-8"))["outcomes"]["step-64"]["failed"] == "out of luck"


def test_an_interrupted_run_goes_on_after_its_last_finished_group(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kept = tmp_path / "kept.json"
    command = ["--quick", "--only", "step-64", "raw-env", "--results", str(kept)]
    measured: list[str] = []

    def race(workloads: Sequence[Workload], *_: object) -> dict[str, Outcome]:
        measured.append(workloads[0].name)
        if len(measured) == 2:
            raise KeyboardInterrupt
        return {workload.name: Outcome([{"value": 1.0}]) for workload in workloads}

    monkeypatch.setattr("benchmarks.cli.race", race)
    assert main(command) == 130
    assert main([*command, "--resume"]) == 0
    assert measured == ["step-64", "raw-env", "raw-env"]
    assert Results.load(kept).outcomes.keys() == {"step-64", "raw-env"}
    assert main(["--quick", "--only", "env", "--results", str(kept), "--resume"]) == 1, "another command"


@pytest.mark.parametrize("name", ["batch-64", "rollout-64", "raw-env", "env", "game", "game-play", "gym", "vector-random", "import"])
def test_our_workloads_run(name: str) -> None:
    assert prepare(WORKLOADS[name], 0.001)()["value"] > 0


def test_every_workload_names_a_maker_and_its_arguments() -> None:
    for workload in WORKLOADS.values():
        module, _, function = workload.maker.partition(":")
        signature(getattr(import_module(f"benchmarks.{module}"), function)).bind(1.0, **workload.arguments)
    assert sum(len(group.workloads) for group in GROUPS) == len(WORKLOADS), "names are unique"


def test_claims_are_about_workloads() -> None:
    for claim in CLAIMS:
        assert {claim.ours, *claim.peers} <= WORKLOADS.keys()


def test_a_ratio_is_taken_round_by_round_and_against_the_best_peer() -> None:
    run = results(batch_1024=[8.0, 20.0, 12.0], pgx_1024=[2.0, 4.0, 4.0], pgx_8192=[1.0, 1.0, 9.0])
    claim = Claim("", "batch-1024", 4, ("pgx-1024", "pgx-8192"))
    assert run.check(claim) == (4.0, 3.0, 5.0)
    assert results(batch_1024=[8.0]).check(claim) is None


def test_goals_that_are_missed_are_shown_as_missed() -> None:
    run = results(raw_env=[30.0], texas_raw_env=[2.0], import_names=[0.3])
    assert {claim.ours: reached for claim, _, reached in run.claims()} == {"raw-env": False, "import-names": True}


def test_a_rate_counts_what_was_done_and_not_what_was_asked_for() -> None:
    asked: list[int] = []

    def run(steps: int) -> int:
        asked.append(steps)
        return sum(1 for _ in range(steps + 7))

    sample = rate_of(run, 0.001)()
    assert sample["steps"] == asked[-1] + 7
    assert sample["value"] == pytest.approx(sample["steps"] / sample["cpu"])


def test_a_page_without_a_place_for_results_is_left_alone(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("mine\n", encoding="utf-8")
    with pytest.raises(PageError, match="no place for the results"):
        write_page(results(step_64=[1.0]), page)
    assert page.read_text(encoding="utf-8") == "mine\n"


def test_numbers_have_three_digits() -> None:
    assert [short(x) for x in (0.1234, 12.34, 999.0, 123456.0, 2.5e6, 999.9e3)] == ["0.123", "12.3", "999", "123 k", "2.5 M", "1 M"]


@pytest.mark.parametrize("wrong", [["--only", "chess"], ["--core", "4096"]])
def test_wrong_arguments_are_refused(wrong: list[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        main(wrong)
    assert stopped.value.code == 2
