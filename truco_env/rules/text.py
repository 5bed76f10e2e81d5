"""Text of option values: the one reader for command lines, configs, case files and notation, and the one printer."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any, Final

from truco_env.errors import RulesError
from truco_env.rules.options import OPTIONS, OptionValue, did_you_mean

_WORDS: Final[dict[str, OptionValue]] = {"true": True, "false": False, "none": None, "null": None}
_WHOLE: Final = re.compile(r"-?(0|[1-9][0-9]{0,17})\Z", re.ASCII)
_DECIMAL: Final = re.compile(r"-?[0-9]{1,18}(\.[0-9]{0,30})?(e[-+]?[0-9]{1,3})?\Z", re.ASCII | re.IGNORECASE)
_PAIR: Final = re.compile(r"[(\[]? *([0-9]{1,4}) *(?:\.\.|,) *([0-9]{1,4}) *[)\]]?\Z", re.ASCII)


def read_option(name: str, text: str) -> OptionValue:
    """Read the value of an option: one of its words, ``true``, ``false``, ``none``, a number, or two as ``5..25`` or ``5,25``.

    Upper and lower case are the same. Only the form is read: ``Rules`` checks whether the option takes the value.

    Raises:
        RulesError: there is no option of that name.

    >>> read_option("pica_band", "5,25"), read_option("falta", "none"), read_option("reveal_envido", "none")
    ((5, 25), None, 'none')
    """
    option = OPTIONS.get(name)
    if option is None:
        raise RulesError(f"unknown option {name!r:.60}{did_you_mean(name, OPTIONS)}")
    text = text.strip()
    word = text.lower()
    for value in option.values:  # first of all: "none" is a word of reveal_envido, and no value in falta
        if word == option_text(value).lower():
            return value
    if word in _WORDS:
        return _WORDS[word]
    if pair := _PAIR.match(text):
        return int(pair[1]), int(pair[2])
    if _WHOLE.match(text):
        return int(text)
    return float(text) if _DECIMAL.match(text) else text


def read_options(values: Mapping[Any, object]) -> dict[str, object]:
    """Return options as keywords of ``Rules``: values that are text are read, others are left as they are.

    Raises:
        RulesError: a key is not the name of an option.
    """
    options: dict[str, object] = {}
    for name, value in values.items():
        if not isinstance(name, str) or name not in OPTIONS:
            raise RulesError(f"unknown option {name!r:.60}{did_you_mean(str(name), OPTIONS)}")
        options[name] = read_option(name, value) if isinstance(value, str) else value
    return options


def read_assignments(texts: Iterable[str]) -> dict[str, OptionValue]:
    """Read ``NAME=VALUE`` arguments of a command line.

    Raises:
        RulesError: another form, an unknown name, or a name given twice.
    """
    options: dict[str, OptionValue] = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals:
            raise RulesError(f"option {text!r:.60} is not readable: write NAME=VALUE")
        if name in options:
            raise RulesError(f"option {name} is given twice")
        options[name] = read_option(name, value)
    return options


def option_text(value: OptionValue) -> str:
    """Return a value as text that ``read_option`` reads back.

    >>> option_text((5, 25)), option_text(True), option_text("cama")
    ('5..25', 'True', 'cama')
    """
    return f"{value[0]}..{value[1]}" if isinstance(value, tuple) else str(value)
