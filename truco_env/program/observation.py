"""``truco observation``: the fields of the observation vector of one table."""

from __future__ import annotations

from collections.abc import Sequence

from truco_env.observation.layout import layout_of
from truco_env.program.line import CommandLine, format_columns
from truco_env.rules.options import RULESETS, Rules, describe_rules
from truco_env.rules.text import read_assignments


def main(arguments: Sequence[str] | None = None, *, prog: str = "truco observation") -> int:
    """Print the layout of a table's observations and return the exit status.

    Raises:
        RulesError: no such table.
    """
    parser = CommandLine(prog=prog, description="Print the fields of the observation vector of a table: int8 entries, in this order.")
    parser.add_argument(
        "ruleset", nargs="?", default="argentino", metavar="RULESET", help=f"one of {', '.join(RULESETS)} (default argentino)"
    )
    parser.add_argument("--players", type=int, default=2, metavar="N", help="seats at the table; 3 is the gallo (default 2)")
    parser.add_argument("--option", metavar="NAME=VALUE", nargs="+", action="extend", default=[], help="options of the rule set")
    args = parser.parse_args(arguments)
    rules = Rules(args.ruleset, args.players, **read_assignments(args.option))
    layout = layout_of(rules)
    rows = [("start", "field", "shape", "axes", "values", "scale", "meaning")]
    for field in layout.fields:
        shape = "x".join(map(str, field.shape))
        rows.append((str(field.start), field.name, shape, field.axes, f"{field.low}..{field.high}", str(field.scale), field.meaning))
    print(f"{describe_rules(rules)}: {layout.size} entries\n\n{format_columns(rows)}")
    return 0
