"""The page of the rule sets and their options, ``docs/options.md``."""

from __future__ import annotations

from truco_env.engine.rules_record import record_of
from truco_env.rules.options import ABSENT, EIGHT_NEEDS, OPTIONS, PLAYERS, RULESETS, Rules

_INTRO = """# Rule sets and options

<!-- Written by `make docs` from `truco_env/rules/options.py`; a test checks that it is up to date. -->

Options are keywords wherever a table is named: `Rules`, `Game`, every environment, `--option NAME=VALUE` on the command line and
`table.options` in a training config. `truco rules RULESET` prints them in a terminal.

```python
from truco_env import Rules

Rules("argentino", players=4, flor_mode="off", target=15)
```

## Rule sets
"""

_OPTIONS = """
## Options

Defaults by rule set. A dash means that the rule set has no such option; setting it is an error. The last column is the section of the
[rules](rulebook/rules.md).
"""

_NOTES = """
`flor_poll=holders` (the default) lets the table infer a flor from whose turn it is, because only holders are asked; `flor_poll=uniform`
asks everybody and hides it ([1.6](rulebook/rules.md#16-precedence-and-flor)).
"""


def print_page() -> str:
    """Return the page as Markdown."""
    return "\n".join([_INTRO, *_rulesets(), _OPTIONS, *_options(), _NOTES])


def _rulesets() -> list[str]:
    lines = ["| rule set | players | cards | points of a leg | legs to win |", "| --- | --- | --- | --- | --- |"]
    for ruleset in RULESETS:
        rules = Rules(ruleset, 2)
        cards = int(record_of(rules)["deck_size"][0])
        players = ", ".join(_players(ruleset, n) for n in PLAYERS[ruleset])
        lines.append(f"| `{ruleset}` | {players} | {cards} | {rules.leg_target} | {rules.legs_to_win} |")
    return lines


def _players(ruleset: str, n: int) -> str:
    return {3: "3 (gallo)", 8: f"8 (with `{EIGHT_NEEDS.get(ruleset)}=True`)"}.get(n, str(n))


def _options() -> list[str]:
    lines = [
        f"| option | values | {' | '.join(RULESETS)} | meaning | § |",
        f"| --- | --- | {' | '.join('---' for _ in RULESETS)} | --- | --- |",
    ]
    for option in OPTIONS.values():
        defaults = ["–" if default is ABSENT else f"`{default}`" for default in map(option.default, RULESETS)]
        lines.append(f"| `{option.name}` | {option.allowed()} | {' | '.join(defaults)} | {option.meaning} | {option.section} |")
    return lines
