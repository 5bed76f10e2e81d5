"""Names to players: ``random``, what packages ship by entry points, what a program registers, and code that is named outright."""

from __future__ import annotations

import difflib
import importlib
import importlib.util
import inspect
import sys
from collections.abc import Callable
from dataclasses import dataclass
from hashlib import sha256
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from types import ModuleType
from typing import Any, Final, TypeAlias

from truco_env.errors import TrucoError, show
from truco_env.players.protocol import Agent, AgentError
from truco_env.players.random import RandomAgent
from truco_env.rules.options import Rules

#: The group of entry points in which a package names its agents: ``NAME = "module:object"``.
AGENT_GROUP: Final = "truco_env.agents"
#: The group of entry points that turn other text, such as a folder, into an agent: ``load(text, rules)``, None to decline.
LOADER_GROUP: Final = "truco_env.agent_loaders"

AgentSource: TypeAlias = type[Agent] | Callable[..., Agent] | Agent
"""What can stand behind a name: an agent's class or another factory, called with the ``Rules`` of the table if it takes an argument, or
an agent object. ``NAME:word`` calls the factory with ``word=True``."""

FORMS: Final = "a checkpoint folder, module:name or path.py:name"

_REGISTERED: dict[str, AgentSource] = {"random": RandomAgent}
_FILES: dict[tuple[Path, int], ModuleType] = {}  # loaded agent files, by path and time of change


@dataclass(frozen=True)
class AgentInfo:
    """What is known of an agent before it is made.

    Attributes:
        name: its name.
        origin: the package that ships it, with its version; of a registered one the package its code is in.
        summary: one line, the first of its docstring or its ``summary``; what is wrong where its code cannot be imported.
    """

    name: str
    origin: str
    summary: str


def register_agent(name: str, source: AgentSource) -> None:
    """Make ``name`` known to ``make_agent`` in this process, before any entry point of that name.

    Processes that are spawned do not know it: name the code itself there (``module:name``), or ship an entry point.
    """
    _REGISTERED[name] = source


def agent_names() -> list[str]:
    """Return all known names, sorted: what is registered, and the entry points of installed packages."""
    return sorted({*_REGISTERED, *(point.name for point in _points(AGENT_GROUP))})


def describe_agents() -> list[AgentInfo]:
    """Return what is known of every agent that has a name, sorted by name. This imports the code of all of them."""
    infos = [AgentInfo(name, _package_of(source), _summary(source)) for name, source in _REGISTERED.items()]
    for point in _points(AGENT_GROUP):
        if point.name not in _REGISTERED:
            try:
                summary = _summary(_load_point(point))
            except AgentError as error:
                summary = str(error)
            infos.append(AgentInfo(point.name, _origin(point), summary))
    return sorted(infos, key=lambda info: (info.name, info.origin))


def make_agent(agent: str | Agent, rules: Rules) -> Agent:
    """Return an agent for a table.

    ``module:name`` and ``path.py:name`` import and run the code they name; a checkpoint folder is read without running any.

    Args:
        agent: a name (``maestro``), a name with words for its factory (``maestro:mute``), a checkpoint folder (``FOLDER:greedy``), code
            (``module:name``, ``path.py:name``: a class, a factory or an object), or an ``Agent`` object, which is returned as it is.
        rules: the table.

    Raises:
        AgentError: nothing is known by that name, its code cannot be imported, or it cannot play at this table.
    """
    if not isinstance(agent, str):
        return _check(agent, agent.name, rules)
    source = _find_name(agent)
    if source is not None:
        return _make(source, agent, (), rules)
    head, colon, tail = agent.rpartition(":")
    source = _find_name(head) if colon else None
    if source is not None:
        return _make(source, agent, tuple(tail.split(",")), rules)
    for point in _points(LOADER_GROUP) if agent.partition(":")[0] else ():
        loaded: Agent | None = _load_point(point)(agent, rules)
        if loaded is not None:
            return _check(loaded, agent, rules)
    found = _find_code(agent)
    if found is not None:
        return _make(found[0], agent, found[1], rules)
    raise AgentError(_explain_unknown(agent))


def _explain_unknown(text: str) -> str:
    names = agent_names()
    near = difflib.get_close_matches(text.partition(":")[0], names, n=2)
    hint = f"did you mean {' or '.join(near)}? Known" if near else "known"
    missing = "" if _points(AGENT_GROUP) else " (no installed package ships agents)"
    return f"no agent is called {text!r}: {hint} names are {', '.join(names)}{missing}; {FORMS} will do as well"


# Entry points.


def _points(group: str) -> list[EntryPoint]:
    return sorted(entry_points(group=group), key=lambda point: (point.name, _origin(point)))


def _origin(point: EntryPoint) -> str:
    return f"{point.dist.name} {point.dist.version}" if point.dist else "an unknown package"


def _package_of(source: AgentSource) -> str:
    return str(getattr(source, "__module__", type(source).__module__)).partition(".")[0]


def _load_point(point: EntryPoint) -> Any:
    try:
        return point.load()
    except (Exception, SystemExit) as error:
        raise AgentError(f"{point.name} of {_origin(point)} cannot be imported from {point.value}: {_one_line(error)}") from error


def _find_name(name: str) -> AgentSource | None:
    """Return what stands behind a name, None where nothing does."""
    if name in _REGISTERED:
        return _REGISTERED[name]
    points = [point for point in _points(AGENT_GROUP) if point.name == name]
    if len(points) > 1:
        homes = " and ".join(_origin(point) for point in points)
        raise AgentError(f"{name} is shipped by {homes}: name the code itself, {' or '.join(point.value for point in points)}")
    source: AgentSource | None = _load_point(points[0]) if points else None
    return source


# Code.


def _find_code(text: str) -> tuple[AgentSource, tuple[str, ...]] | None:
    """Return what ``module:name`` or ``path.py:name`` stands for, with the words that follow; None where it has another form."""
    head, _, rest = text.partition(".py:")
    if rest:
        place, home = f"{head}.py", Path(f"{head}.py")
        if not home.is_file():
            raise AgentError(f"{text}: there is no file {place}")
        name, _, words = rest.partition(":")
        module = _import(text, lambda: _load_file(home))
    else:
        place, _, rest = text.partition(":")
        name, _, words = rest.partition(":")
        if not name or not all(part.isidentifier() for part in place.split(".")) or not _is_module(place):
            return None
        module = _import(text, lambda: importlib.import_module(place))
    source: Any = module
    for part in name.split("."):
        try:
            source = getattr(source, part)
        except AttributeError:
            raise AgentError(f"{text}: {place} has no {name!r}") from None
    return source, tuple(words.split(",")) if words else ()


def _is_module(name: str) -> bool:
    try:
        return importlib.util.find_spec(name.partition(".")[0]) is not None
    except (ImportError, ValueError):
        return False


def _import(text: str, load: Callable[[], ModuleType]) -> ModuleType:
    try:
        return load()
    except (Exception, SystemExit) as error:
        raise AgentError(f"{text} cannot be imported: {_one_line(error)}") from error


def _load_file(path: Path) -> ModuleType:
    """Run a file of Python as a module of its own, again only when it has changed."""
    key = (path.resolve(), path.stat().st_mtime_ns)
    if key not in _FILES:
        name = f"truco_agent_file_{path.stem}_{sha256(str(key).encode()).hexdigest()[:12]}"
        spec = importlib.util.spec_from_file_location(name, path)
        assert spec is not None and spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        sys.modules[name] = module  # dataclasses and pickle look there
        try:
            spec.loader.exec_module(module)
        except BaseException:
            del sys.modules[name]
            raise
        _FILES[key] = module
    return _FILES[key]


# Making.


def _make(source: AgentSource, text: str, words: tuple[str, ...], rules: Rules) -> Agent:
    """Return the agent of a class, a factory or an object, for a table."""
    if not inspect.isclass(source) and isinstance(source, Agent):
        if words:
            raise AgentError(f"{text}: an agent object takes no words, {words[0]!r} cannot be given")
        return _check(source, text, rules)
    if not callable(source):
        raise AgentError(f"{text} is {show(source)}: it must be an agent's class, a factory or an agent")
    factory: Callable[..., object] = source
    try:
        parameters = inspect.signature(source).parameters
    except ValueError as error:
        raise AgentError(f"{text} cannot be made: {_one_line(error)}") from error
    known = [name for name, parameter in parameters.items() if parameter.kind is parameter.KEYWORD_ONLY]
    unknown = [word for word in words if word not in known]
    if unknown:
        allowed = f"choose from {', '.join(known)}" if known else "this agent takes none"
        raise AgentError(f"{text}: the word {unknown[0]!r} is not known: {allowed}")
    positional = any(p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD, p.VAR_POSITIONAL) for p in parameters.values())
    try:
        made = factory(*((rules,) if positional else ()), **dict.fromkeys(words, True))
    except TrucoError:
        raise
    except Exception as error:
        raise AgentError(f"{text} cannot be made: {_one_line(error)}") from error
    return _check(made, text, rules)


def _check(agent: object, text: str, rules: Rules) -> Agent:
    """Return an agent that may play at a table.

    Raises:
        AgentError: it is none, or was made for another table.
    """
    if not isinstance(agent, Agent):
        raise AgentError(f"{text} is {show(agent)}, which is not an agent: it needs name, start and act")
    check_table = getattr(agent, "check_table", None)
    if check_table is not None:
        check_table(rules)
    return agent


def _summary(source: object) -> str:
    summary = getattr(source, "summary", None)
    if isinstance(summary, str):
        return summary
    lines = (inspect.getdoc(source) or "").splitlines()
    return lines[0] if lines else ""


def _one_line(error: BaseException) -> str:
    return " ".join(f"{type(error).__name__}: {error}".split())
