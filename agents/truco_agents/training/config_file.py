"""Reading configs: YAML files and ``key=value`` arguments, with one line for every mistake."""

from __future__ import annotations

import difflib
import math
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final, NoReturn

import yaml
from pydantic import ValidationError

import truco_agents
from truco_agents.arena.errors import ArenaError
from truco_agents.arena.seating import Side, check_side, side_of
from truco_agents.training.config import Config, ConfigError, Section, section_of
from truco_env.errors import RulesError
from truco_env.players.protocol import AgentError
from truco_env.players.registry import make_agent

_PACKAGE: Final = Path(truco_agents.__file__).parent
#: Where the presets are: in a checkout beside the folder of the agents, in an installed package inside it.
_PRESETS: Final = (_PACKAGE.parent.parent / "configs", _PACKAGE / "configs")
_LARGEST: Final = 1 << 20  #: bytes of a config
_MOST_NODES: Final = 10_000  #: values of a config, aliases counted as often as they are used
_LONGEST_SHOWN: Final = 100  #: characters of a value in an error
_STR: Final = "tag:yaml.org,2002:str"
_MERGE: Final = "tag:yaml.org,2002:merge"


class _Loader(yaml.SafeLoader):
    """YAML with the booleans of version 1.2 (``off`` is text) and numbers like ``1e-3``."""


_BOOL: Final = "tag:yaml.org,2002:bool"
_Loader.yaml_implicit_resolvers = {
    first: [(tag, pattern) for tag, pattern in resolvers if tag != _BOOL]
    for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
}
_Loader.add_implicit_resolver(_BOOL, re.compile(r"^(?:true|false)$", re.IGNORECASE), list("tTfF"))
_Loader.add_implicit_resolver("tag:yaml.org,2002:float", re.compile(r"^[-+]?\d+(?:\.\d*)?[eE][-+]?\d+$"), list("-+0123456789"))


def _parse(text: str, place: str) -> tuple[Any, dict[str, int]]:
    """Return the value of a YAML text, and the line of every key in it, dotted."""
    try:
        loader = _Loader(text)
        root = loader.get_single_node()
        lines = {} if root is None else _check_nodes(root)
        return (None if root is None else loader.construct_document(root)), lines
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        where = f", line {mark.line + 1}" if mark is not None else ""
        raise ConfigError(f"{place}{where}: this is not YAML ({' '.join(str(getattr(error, 'problem', None) or error).split())})") from None
    except RecursionError:
        raise ConfigError(f"{place}: this is nested too deeply for a config") from None
    except (ValueError, TypeError, OverflowError) as error:  # a number or a date that Python cannot hold
        raise ConfigError(f"{place}: a value cannot be read ({error})") from None


def _check_nodes(root: yaml.Node) -> dict[str, int]:
    """Return the line of every key, dotted.

    Raises:
        yaml.constructor.ConstructorError: a key that is there twice or is no text, a value inside itself, or too many values.
    """
    lines: dict[str, int] = {}
    count = 0

    def refuse(problem: str, node: yaml.Node) -> NoReturn:
        raise yaml.constructor.ConstructorError(problem=problem, problem_mark=node.start_mark)

    def walk(node: yaml.Node, prefix: str, around: tuple[yaml.Node, ...]) -> None:
        nonlocal count
        count += 1
        if count > _MOST_NODES:
            refuse(f"more than {_MOST_NODES} values", node)
        if any(node is outer for outer in around):
            refuse("a value that contains itself", node)
        inside = (*around, node)
        if isinstance(node, yaml.SequenceNode):
            for item in node.value:
                walk(item, f"{prefix}-.", inside)
        elif isinstance(node, yaml.MappingNode):
            seen: set[str] = set()
            for key, value in node.value:
                if key.tag not in (_STR, _MERGE):
                    refuse("a key that is not text", key)
                if key.value in seen:
                    refuse(f"key {key.value!r} is there twice", key)
                seen.add(key.value)
                lines[f"{prefix}{key.value}"] = key.start_mark.line + 1
                walk(value, f"{prefix}{key.value}.", inside)

    walk(root, "", ())
    return lines


def find_config(text: str) -> Path:
    """Return the config that ``--config`` names: a file, or a preset that comes with the package, such as ``argentino``.

    Raises:
        ConfigError: there is neither.
    """
    path = Path(text)
    if path.exists() or path.name != text:
        return path
    presets = {file.stem: file for folder in _PRESETS for file in folder.glob("*.yaml")}
    name = text.removesuffix(".yaml")
    if name not in presets:
        near = difflib.get_close_matches(name, presets, n=1)
        hint = f"; did you mean {near[0]}?" if near else ""
        raise ConfigError(f"config {text}: there is no such file, and the presets are {', '.join(sorted(presets)) or 'none'}{hint}")
    return presets[name]


def read_config(path: Path, changes: Sequence[str] = ()) -> Config:
    """Read a config file, change some values, and check everything, agents included.

    Args:
        path: a YAML file.
        changes: ``key=value`` with dotted keys (``ppo.epochs=2``); values are YAML.

    Raises:
        ConfigError: the file cannot be read, or a key or value is wrong; one line that names it, its place and what is allowed.
    """
    try:
        if path.stat().st_size > _LARGEST:
            raise ValueError(f"it is larger than {_LARGEST:,} bytes")
        text = path.read_text(encoding="utf-8")
    except (OSError, ValueError) as error:
        raise ConfigError(f"config {path} cannot be read: {getattr(error, 'strerror', None) or error}") from None
    values, lines = _parse(text, str(path))
    if values is None:
        values = {}
    if not isinstance(values, dict):
        raise ConfigError(f"{path}: a config is a mapping of keys to values")
    changed: set[str] = set()
    for change in changes:
        key, sign, value = change.partition("=")
        if not sign or not key:
            raise ConfigError(f"argument {change!r}: write key=value, such as ppo.epochs=2")
        _set(values, key, _parse(value, f"argument {change!r}")[0])
        changed.add(key)

    def place(key: str) -> str:
        if any(key == c or key.startswith(f"{c}.") for c in changed):
            return "command line"
        return f"{path}, line {lines[key]}" if key in lines else str(path)

    return _check(values, place)


def _set(values: dict[str, Any], key: str, value: object) -> None:
    *path, last = key.split(".")
    for part in path:
        inner = values.setdefault(part, {})
        if not isinstance(inner, dict):
            raise ConfigError(f"command line: {key} cannot be set: {part} has the single value {_shown(inner)} in the config")
        values = inner
    values[last] = value


def _check(values: dict[str, Any], place: Callable[[str], str]) -> Config:
    try:
        config = Config.model_validate(values)
    except ValidationError as error:
        raise ConfigError(_explain(error, place)) from None
    try:
        rules = config.table.rules()
    except (RulesError, TypeError) as error:  # a TypeError where the options name the rule set or the players again
        raise ConfigError(f"{error} (table, {place('table')})") from None
    _check_device(config.machine.device, place("machine.device"))
    if config.partners and rules.seats_per_account == 1:
        raise ConfigError(f"partners ({place('partners')}): at a table of {rules.players} nobody has a team-mate")
    weighted = {"opponents.agents": config.opponents.agents, "partners": config.partners}
    sides: dict[str, list[str | Side]] = {"evaluation.opponents": list(config.evaluation.opponents)}
    sides |= {key: [Side((name,)) for name in names] for key, names in weighted.items()}
    for key, members in sides.items():
        for text in members:
            try:
                side = side_of(text)
                check_side(side, rules)
                for member in side.members:
                    make_agent(member, rules)
            except (AgentError, ArenaError) as error:
                raise ConfigError(f"{error} ({key}, {place(key)})") from None
    if not (config.opponents.agents or config.opponents.only_itself):
        raise ConfigError(
            f"opponents.agents ({place('opponents.agents')}): name at least one agent, or set opponents.mirror or opponents.past.share to 1"
        )
    for key, weights in weighted.items():
        if weights and not (all(w >= 0 for w in weights.values()) and 0 < sum(weights.values()) < math.inf):
            raise ConfigError(f"{key} = {weights} ({place(key)}): weights are at least 0 and their sum is above 0 and finite")
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
    return f"{key} = {_shown(finding['input'])}{where}: {message.replace('Input should', 'it should', 1)}"


def _shown(value: object) -> str:
    """Return a value as an error shows it."""
    try:
        text = repr(value)
    except ValueError:
        return "a number of thousands of digits"
    return text if len(text) <= _LONGEST_SHOWN else f"{text[:_LONGEST_SHOWN]}..."


def _section_at(path: Sequence[str]) -> type[Section]:
    section: type[Section] = Config
    for part in path:
        found = section_of(section.model_fields[part].annotation)
        assert found is not None
        section = found
    return section
