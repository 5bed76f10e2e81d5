"""Documents: YAML from anywhere, read without surprises, and text from them on one line."""

from __future__ import annotations

from typing import Any, Final

import yaml

from truco_env.errors import CaseError

_LONGEST_NUMBER: Final = 30  # of the digits of an integer; Python refuses to print those of thousands
_LONGEST_LINE: Final = 2000
#: What PyYAML lets through besides its own errors, for a scalar that does not fit an explicit tag, for dates, and for deep nesting.
_STRAY: Final = (ValueError, ArithmeticError, LookupError, AttributeError, TypeError, RecursionError)


class _Loader(yaml.SafeLoader):
    """The safe subset without aliases (a value cannot hold itself, nor grow when it is read) and without endless numbers."""

    def compose_node(self, parent: yaml.Node | None, index: Any) -> yaml.Node | None:
        if self.check_event(yaml.AliasEvent):
            raise yaml.composer.ComposerError(problem="aliases are not allowed")
        return super().compose_node(parent, index)

    def construct_yaml_int(self, node: yaml.ScalarNode) -> int:
        if len(node.value) > _LONGEST_NUMBER:
            raise yaml.constructor.ConstructorError(problem="a number is too long", problem_mark=node.start_mark)
        return super().construct_yaml_int(node)


_Loader.add_constructor("tag:yaml.org,2002:int", _Loader.construct_yaml_int)


def read_yaml(text: str) -> object:
    """Return the value of a YAML document.

    Raises:
        CaseError: it is no YAML, or has aliases or numbers of more than 30 characters.
    """
    try:
        return yaml.load(text, Loader=_Loader)
    except (yaml.YAMLError, *_STRAY) as error:
        raise CaseError(f"is no YAML: {line_of(error)}") from error


def line_of(value: object) -> str:
    """Return a value as text on one line, cut where it is longer than anybody reads."""
    text = " ".join(str(value).split())
    return text if len(text) <= _LONGEST_LINE else text[: _LONGEST_LINE - 3] + "..."
