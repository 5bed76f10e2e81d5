"""The table of the traits of a rule-based player, a part of ``docs/agents.md``."""

from __future__ import annotations

import inspect
import re
from dataclasses import fields

from truco_agents.rule_based.character import CHARACTERS, Character

_ATTRIBUTE = re.compile(r"^    (\w+): (.+)$", re.MULTILINE)


def print_table() -> str:
    """Return the traits, their meaning and their values in each character that has no habit as Markdown."""
    thinkers = {name: character for name, character in CHARACTERS.items() if not character.habit}
    meanings = dict(_ATTRIBUTE.findall(inspect.getdoc(Character) or ""))
    lines = [f"| trait | meaning | {' | '.join(f'`{name}`' for name in thinkers)} |", "|---" * (2 + len(thinkers)) + "|"]
    for field in fields(Character):
        if field.name not in ("name", "summary", "habit"):
            values = " | ".join(_value(getattr(character, field.name)) for character in thinkers.values())
            lines.append(f"| `{field.name}` | {meanings[field.name]} | {values} |")
    return "\n".join(lines) + "\n"


def _value(value: float | tuple[float, ...]) -> str:
    return ", ".join(f"{part:g}" for part in (value if isinstance(value, tuple) else (value,)))
