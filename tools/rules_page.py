"""Write the page of the rule sets and their options: ``python -m tools.rules_page > docs/rules.md``."""

from __future__ import annotations

from truco_env.engine.rules_record import record_of
from truco_env.rules.options import ABSENT, OPTIONS, PLAYERS, RULESETS, Rules

_HEAD = """# Rule sets and options

Written by `python -m tools.rules_page > docs/rules.md`; do not edit.

Four rule sets, each for the table that its players sit at. The numbers in the last column are sections of the rule book, *rules.md*;
where it is silent, see [rulings](rulings.md).

```python
from truco_env import Rules

Rules("argentino", players=4, flor_mode="off", target=15)
```
"""


def _tables() -> list[str]:
    lines = ["| rule set | players | cards | points of a leg | legs to win |", "| --- | --- | --- | --- | --- |"]
    for ruleset in RULESETS:
        rules = Rules(ruleset, 2)
        cards = int(record_of(rules)["deck_size"][0])
        players = ", ".join("3 (gallo)" if n == 3 else str(n) for n in PLAYERS[ruleset])
        lines.append(f"| `{ruleset}` | {players} | {cards} | {rules.leg_target} | {rules.legs_to_win} |")
    return lines


def _options() -> list[str]:
    lines = [
        f"| option | values | {' | '.join(RULESETS)} | meaning | § |",
        f"| --- | --- | {' | '.join('---' for _ in RULESETS)} | --- | --- |",
    ]
    for option in OPTIONS.values():
        defaults = ["–" if default is ABSENT else f"`{default}`" for default in map(option.default, RULESETS)]
        lines.append(f"| `{option.name}` | {option.allowed()} | {' | '.join(defaults)} | {option.meaning} | {option.section} |")
    return lines


def page() -> str:
    """Return the page as Markdown."""
    note = [
        "",
        "8 players: `reglamento` with `allow_8=True`, `truc_valencia` with `deck30=True` (30 cards).",
        "",
        "## Options",
        "",
        "The defaults by rule set; a dash: it has no such option, and setting it is an error.",
        "",
    ]
    return "\n".join([_HEAD, *_tables(), *note, *_options(), ""])


if __name__ == "__main__":
    print(page(), end="")
