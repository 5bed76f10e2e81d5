"""The tools that are run by hand: the learning curve, and what the tests lack of shared cases and traces."""

from __future__ import annotations

from pathlib import Path

from tools.learning_curve import draw
from tools.shared_data import find_differences


def test_a_shared_file_that_is_missing_or_differs_is_named(tmp_path: Path) -> None:
    shared, own = tmp_path / "shared", tmp_path / "own"
    for path, text in (("shared/cases/a.yaml", "1"), ("shared/cases/b.yaml", "2"), ("shared/traces/c.jsonl.gz", "3")):
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text, encoding="utf-8")
    (own / "cases").mkdir(parents=True)
    (own / "cases" / "a.yaml").write_text("1", encoding="utf-8")
    (own / "cases" / "b.yaml").write_text("old", encoding="utf-8")
    (own / "cases" / "ours.yaml").write_text("ours", encoding="utf-8")
    assert list(find_differences(shared, own)) == [
        f"cases/b.yaml differs from {own / 'cases' / 'b.yaml'}",
        f"traces/c.jsonl.gz is new: copy it to {own / 'traces' / 'c.jsonl.gz'}",
    ]


def test_a_learning_curve_is_drawn_from_the_evaluations_of_a_run(tmp_path: Path) -> None:
    curves = tmp_path / "curves.csv"
    curves.write_text("steps,eval/random,eval_low/random,eval_high/random\n1000,,,\n2000,0.5,0.4,0.6\n4000,0.7,0.6,0.8\n", encoding="utf-8")
    draw(curves, tmp_path / "curve.png")
    assert (tmp_path / "curve.png").read_bytes().startswith(b"\x89PNG")
