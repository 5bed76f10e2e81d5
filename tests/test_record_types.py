"""The type checker knows the fields of records."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from mypy import api

from truco_env.engine import record_types
from truco_env.engine.record import GAME_DTYPE
from truco_env.engine.rules_record import RULES_DTYPE

_RULE = """
from record_types import GameRecord, RulesRecord

def lead(g: GameRecord, r: RulesRecord) -> int:
    return int(g.scores[0]) - int(r.leg_target) + g.mano
"""


@pytest.mark.parametrize(("protocol", "dtype"), [("GameRecord", GAME_DTYPE), ("RulesRecord", RULES_DTYPE)])
def test_a_protocol_has_the_fields_of_its_dtype(protocol: str, dtype: object) -> None:
    assert list(getattr(record_types, protocol).__annotations__) == list(dtype.names)  # type: ignore[attr-defined]


def test_a_misspelt_field_fails_the_type_check(tmp_path: Path) -> None:
    right, wrong, wrong_rules = (tmp_path / f"{name}.py" for name in ("right", "wrong", "wrong_rules"))
    right.write_text(_RULE)
    wrong.write_text(_RULE.replace("g.mano", "g.manno"))
    wrong_rules.write_text(_RULE.replace("r.leg_target", "r.leg_targets"))
    types = shutil.copy(record_types.__file__, tmp_path)
    settings = ["--follow-imports=skip", "--config-file=", "--cache-dir", str(tmp_path / "cache")]  # numpy is not looked into: that is slow
    found, _, status = api.run([*settings, str(types), *map(str, (right, wrong, wrong_rules))])
    assert status == 1
    assert found.count("error:") == 2
    assert '"GameRecord" has no attribute "manno"' in found
    assert '"RulesRecord" has no attribute "leg_targets"' in found


def test_compiled_rules_are_typed() -> None:
    package = Path(record_types.__file__).parents[1]
    untyped = [
        file.name
        for room in ("engine", "observation", "batch", "envs")
        for file in (package / room).glob("*.py")
        if any(text in file.read_text(encoding="utf-8") for text in ("(g: Any", " g: Any", " r: Any"))
    ]
    assert untyped == []
