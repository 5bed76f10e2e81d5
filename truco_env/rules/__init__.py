"""The data of a table: cards, actions, options. Pure data: nothing here loads the compiler."""

from truco_env.rules.options import RULESETS, Rules

__all__ = ["RULESETS", "Rules"]
