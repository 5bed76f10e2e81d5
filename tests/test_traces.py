"""The engine agrees with the recorded games at every step, and a replay notices where one differs."""

from __future__ import annotations

import copy
import gzip
import json
from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest

from truco_env.conformance.cases import main
from truco_env.conformance.traces import Trace, load_traces, run_trace
from truco_env.errors import CaseError

_TABLES: dict[tuple[str, int], list[Trace]] = defaultdict(list)
for _file in sorted((Path(__file__).parent / "data" / "traces").glob("*.jsonl*")):
    for _trace in load_traces(_file):
        _TABLES[_trace.values["ruleset"], _trace.values["players"]].append(_trace)


def test_the_traces_are_there() -> None:
    assert sum(map(len, _TABLES.values())) == 3767 + 637
    assert len(_TABLES) == 13


@pytest.mark.parametrize("table", sorted(_TABLES), ids=lambda table: f"{table[0]}-{table[1]}")
def test_traces(table: tuple[str, int]) -> None:
    failed = [f"{trace}: {failure}" for trace in _TABLES[table] for failure in run_trace(trace)]
    assert not failed, f"{len(failed)} of {len(_TABLES[table])} differ\n" + "\n".join(failed[:5])


def _changed(trace: Trace, change: str) -> Trace:
    values: dict[str, Any] = copy.deepcopy(trace.values)
    hand = values["hands"][0]
    step = hand["steps"][0]
    match change:
        case "seat":
            step["seat"] += 1
        case "phase":
            step["phase"] = "flor_poll"
        case "legal":
            step["legal"].pop()
        case "scores":
            step["scores_after"][0] += 1
        case "action":
            step["action"] = "vale_cuatro"
        case "end":
            hand["scores_end"][0] += 1
        case "won":
            hand["won_end"][0] += 1
        case "event":
            hand["events"][1][-1] = "?"
        case "fewer events":
            hand["events"].pop()
        case "dealer":
            values["hands"][1]["dealer"] += 1
        case "unfinished":
            hand["steps"].pop()
        case "match_over":
            values["match_over"] = not values["match_over"]
        case "winner":
            values["winner"] = 7
        case _:
            raise AssertionError(change)
    return Trace(trace.path, trace.line, values)


@pytest.mark.parametrize(
    "change",
    ["seat", "phase", "legal", "scores", "action", "end", "won", "event", "fewer events", "dealer", "unfinished", "match_over", "winner"],
)
def test_a_trace_that_differs_is_reported(change: str) -> None:
    trace = next(trace for trace in _TABLES["argentino", 4] if len(trace.values["hands"]) > 2)
    assert run_trace(trace) == []
    assert len(run_trace(_changed(trace, change))) == 1


@pytest.mark.parametrize("content", [b"{", b"[]", b'{"ruleset": "argentino"}', b"\xff\xfe"])
def test_a_broken_trace_file_is_refused(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "x.jsonl"
    file.write_bytes(content)
    with pytest.raises(CaseError, match=r"x\.jsonl"):
        list(load_traces(file))
    assert main([str(file)]) == 2


def test_a_damaged_compressed_file_is_refused(tmp_path: Path) -> None:
    whole = gzip.compress(b'{"ruleset": 1}' * 100)
    for name, content in (("short", whole[: len(whole) // 2]), ("none", b"no gzip"), ("flipped", whole[:12] + b"\xff\xff" + whole[14:])):
        file = tmp_path / f"{name}.jsonl.gz"
        file.write_bytes(content)
        with pytest.raises(CaseError, match=name):
            list(load_traces(file))


def test_a_trace_with_a_wrong_shape_is_refused(tmp_path: Path) -> None:
    values = copy.deepcopy(_TABLES["argentino", 2][0].values)
    del values["hands"][0]["steps"][0]["legal"]
    file = tmp_path / "x.jsonl"
    file.write_text(json.dumps(values))
    assert main([str(file)]) == 2
