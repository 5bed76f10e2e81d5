"""``truco rules``: the rule sets, or one of them, with their options."""

from __future__ import annotations

from collections.abc import Sequence

from truco_env.program.line import CommandLine, format_columns
from truco_env.rules.cards import DECKS
from truco_env.rules.options import ABSENT, EIGHT_NEEDS, OPTIONS, PLAYERS, RULESETS, Option, Rules
from truco_env.rules.text import option_text


def main(arguments: Sequence[str] | None = None, *, prog: str = "truco rules") -> int:
    """Print one rule set, or all, and return the exit status.

    Raises:
        RulesError: there is no such rule set.
    """
    parser = CommandLine(prog=prog, description="Print the rule sets and the options of each, with values and defaults.")
    parser.add_argument("ruleset", nargs="?", metavar="RULESET", help=f"one of {', '.join(RULESETS)} (default: all, side by side)")
    ruleset = parser.parse_args(arguments).ruleset
    print(_compare() if ruleset is None else _describe(Rules(ruleset).ruleset))
    return 0


def _compare() -> str:
    sets = "\n".join(map(_summary, RULESETS))
    rows: list[tuple[str, ...]] = [("option", *RULESETS, "values", "rule book")]
    for option in OPTIONS.values():
        rows.append((option.name, *(_default(option, ruleset) for ruleset in RULESETS), option.allowed(), option.section))
    return f"{sets}\n\nDefaults; – means that the rule set has no such option.\n\n{format_columns(rows)}"


def _describe(ruleset: str) -> str:
    rows = [("option", "default", "values", "meaning", "rule book")]
    for option in OPTIONS.values():
        if option.default(ruleset) is not ABSENT:
            rows.append((option.name, _default(option, ruleset), option.allowed(), option.meaning, option.section))
    return f"{_summary(ruleset)}\n\n{format_columns(rows)}"


def _default(option: Option, ruleset: str) -> str:
    default = option.default(ruleset)
    return "–" if default is ABSENT else option_text(getattr(Rules(ruleset), option.name))


def _summary(ruleset: str) -> str:
    rules = Rules(ruleset)
    players = ", ".join({3: "3 (gallo)", 8: f"8 (with {EIGHT_NEEDS.get(ruleset)}=true)"}.get(n, str(n)) for n in PLAYERS[ruleset])
    legs = f"{rules.legs_to_win} legs of {rules.leg_target} points" if rules.legs_to_win > 1 else f"{rules.leg_target} points"
    return f"{ruleset}: {players} players, {len(DECKS[rules.deck])} cards, {legs} to win"
