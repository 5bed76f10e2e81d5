"""Reading configs: YAML files and ``key=value`` arguments, with one line for every mistake."""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final

import yaml
from pydantic import ValidationError

from truco_agents.arena.errors import ArenaError
from truco_agents.arena.seating import Side, check_side, side_of
from truco_agents.training.config import Config, ConfigError, Section, section_of
from truco_env.errors import RulesError
from truco_env.players.protocol import AgentError
from truco_env.players.registry import make_agent


class _Loader(yaml.SafeLoader):
    """YAML with the booleans of version 1.2 (``off`` is text), numbers like ``1e-3``, and no key twice."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        seen: set[object] = set()
        for key, _ in node.value:
            if key.value in seen:
                raise yaml.constructor.ConstructorError(problem=f"key {key.value!r} is there twice", problem_mark=key.start_mark)
            seen.add(key.value)
        return super().construct_mapping(node, deep)


_BOOL: Final = "tag:yaml.org,2002:bool"
_Loader.yaml_implicit_resolvers = {
    first: [(tag, pattern) for tag, pattern in resolvers if tag != _BOOL]
    for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
}
_Loader.add_implicit_resolver(_BOOL, re.compile(r"^(?:true|false)$", re.IGNORECASE), list("tTfF"))
_Loader.add_implicit_resolver("tag:yaml.org,2002:float", re.compile(r"^[-+]?\d+(?:\.\d*)?[eE][-+]?\d+$"), list("-+0123456789"))


def _parse(text: str, place: str) -> Any:
    try:
        return yaml.load(text, Loader=_Loader)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        where = f", line {mark.line + 1}" if mark is not None else ""
        raise ConfigError(f"{place}{where}: this is not YAML ({getattr(error, 'problem', None) or error})") from None


def read_config(path: Path, changes: Sequence[str] = ()) -> Config:
    """Read a config file, change some values, and check everything, agents included.

    Args:
        path: a YAML file.
        changes: ``key=value`` with dotted keys (``ppo.epochs=2``); values are YAML.

    Raises:
        ConfigError: the file cannot be read, or a key or value is wrong; one line that names it, its place and what is allowed.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"config {path} cannot be read: {getattr(error, 'strerror', None) or error}") from None
    values = _parse(text, str(path))
    if values is None:
        values = {}
    if not isinstance(values, dict):
        raise ConfigError(f"{path}: a config is a mapping of keys to values")
    lines = _key_lines(text)
    changed: set[str] = set()
    for change in changes:
        key, sign, value = change.partition("=")
        if not sign or not key:
            raise ConfigError(f"argument {change!r}: write key=value, such as ppo.epochs=2")
        _set(values, key, _parse(value, f"argument {change!r}"))
        changed.add(key)

    def place(key: str) -> str:
        if any(key == c or key.startswith(f"{c}.") for c in changed):
            return "command line"
        return f"{path}, line {lines[key]}" if key in lines else str(path)

    return _check(values, place)


def _key_lines(text: str) -> dict[str, int]:
    """Return the line of every key, dotted."""
    lines: dict[str, int] = {}

    def walk(node: yaml.Node, prefix: str) -> None:
        if isinstance(node, yaml.MappingNode):
            for key, value in node.value:
                lines[f"{prefix}{key.value}"] = key.start_mark.line + 1
                walk(value, f"{prefix}{key.value}.")

    root = yaml.compose(text, Loader=_Loader)
    if root is not None:
        walk(root, "")
    return lines


def _set(values: dict[str, Any], key: str, value: object) -> None:
    *path, last = key.split(".")
    for part in path:
        inner = values.setdefault(part, {})
        if not isinstance(inner, dict):
            raise ConfigError(f"command line: {key} cannot be set: {part} has the single value {inner!r} in the config")
        values = inner
    values[last] = value


def _check(values: dict[str, Any], place: Callable[[str], str]) -> Config:
    try:
        config = Config.model_validate(values)
    except ValidationError as error:
        raise ConfigError(_explain(error, place)) from None
    try:
        rules = config.table.rules()
    except RulesError as error:
        raise ConfigError(f"{error} (table, {place('table')})") from None
    _check_device(config.machine.device, place("machine.device"))
    if config.partners and rules.seats_per_account == 1:
        raise ConfigError(f"partners ({place('partners')}): at a table of {rules.players} nobody has a team-mate")
    weighted = {"opponents.agents": config.opponents.agents, "partners": config.partners}
    sides = {"evaluation.opponents": [side_of(text) for text in config.evaluation.opponents]}
    sides |= {key: [Side((name,)) for name in names] for key, names in weighted.items()}
    for key, members in sides.items():
        for side in members:
            try:
                check_side(side, rules)
                for member in side.members:
                    make_agent(member, rules)
            except (AgentError, ArenaError) as error:
                raise ConfigError(f"{error} ({key}, {place(key)})") from None
    for key, weights in weighted.items():
        if (weights or key == "opponents.agents") and not (all(w >= 0 for w in weights.values()) and sum(weights.values()) > 0):
            raise ConfigError(f"{key} = {weights} ({place(key)}): weights are at least 0 and their sum is above 0")
    return config


def _check_device(device: str, place: str) -> None:
    if device in ("auto", "cpu"):
        return
    import torch  # takes seconds, and is needed here only

    kind, _, index = device.partition(":")
    there = torch.backends.mps.is_available() if kind == "mps" else int(index or 0) < torch.cuda.device_count()
    if not there:
        raise ConfigError(f"machine.device = {device!r} ({place}): torch finds no such device here; auto takes what there is")


def _explain(error: ValidationError, place: Callable[[str], str]) -> str:
    """Turn the first finding into one line: the key, its place, what is allowed."""
    finding = error.errors()[0]
    path = [str(part) for part in finding["loc"]]
    key = ".".join(path)
    where = f" ({place(key)})"
    if finding["type"] == "extra_forbidden":
        section = _section_at(path[:-1])
        allowed = list(section.model_fields)
        near = difflib.get_close_matches(path[-1], allowed, n=1)
        hint = f"did you mean {'.'.join([*path[:-1], near[0]])}? " if near else ""
        owner = ".".join(path[:-1]) or "a config"
        return f"unknown key {key}{where}: {hint}{owner} takes {', '.join(allowed)}"
    message = finding["msg"].removeprefix("Value error, ")
    if finding["type"] == "value_error":
        return f"{message}{where}"
    return f"{key} = {finding['input']!r}{where}: {message.replace('Input should', 'it should', 1)}"


def _section_at(path: Sequence[str]) -> type[Section]:
    section: type[Section] = Config
    for part in path:
        found = section_of(section.model_fields[part].annotation)
        assert found is not None
        section = found
    return section
