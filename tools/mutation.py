"""Mutants: single small changes to the functions of a module, found in its syntax tree and carried out in the running process.

Functions are changed by giving them other code, so no file is written and nothing is imported again. That needs plain Python functions:
the engine has them under ``NUMBA_DISABLE_JIT=1``.
"""

from __future__ import annotations

import ast
import hashlib
import importlib
import inspect
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any, Final

_Swap = Callable[[], None]
_COMPARISONS: Final[dict[type[ast.cmpop], type[ast.cmpop]]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
}
_OPERATORS: Final[dict[type[ast.operator], type[ast.operator]]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Add,
    ast.Mod: ast.Add,
    ast.FloorDiv: ast.Mult,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
    ast.BitXor: ast.BitOr,
    ast.LShift: ast.RShift,
    ast.RShift: ast.LShift,
}


@dataclass(frozen=True)
class Mutant:
    """One change to one function, or to one constant of a module."""

    module: str
    """Dotted name."""
    source: str
    """A short hash of the module's source, by which a stored result is known to be of this source."""
    function: str
    """Name of the function; of the constant for a change at the top of the module."""
    change: str
    """``before -> after``."""
    number: int
    """Which of the equal changes to this function, from 1."""
    line: int
    swap: _Swap
    """Carries the change out in this process."""

    @property
    def key(self) -> str:
        """A name that stays the same when lines move: module, function, change."""
        again = f" #{self.number}" if self.number > 1 else ""
        return f"{self.module.rpartition('.')[2]}.{self.function}: {self.change}{again}"


def find_mutants(module_name: str, skipped: Sequence[str] = ()) -> list[Mutant]:
    """Return every mutant of a module's functions and plain constants, in the order of their lines.

    Args:
        module_name: dotted name; the module is imported.
        skipped: functions to leave alone.
    """
    module = importlib.import_module(module_name)
    text = Path(str(module.__file__)).read_text(encoding="utf-8")
    tree, source = ast.parse(text), hashlib.sha256(text.encode()).hexdigest()[:12]
    seen: Counter[tuple[str, str]] = Counter()
    mutants: list[Mutant] = []
    for node in tree.body:
        if isinstance(node, ast.FunctionDef) and node.name not in skipped:
            for line, change in _edits_of(node):
                seen[node.name, change] += 1
                swap = _swap_code(module, node.name, _code_of(node, module))
                mutants.append(Mutant(module_name, source, node.name, change, seen[node.name, change], line, swap))
        elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            name = node.targets[0].id
            for line, change in _edits_in(node, "value"):
                seen[name, change] += 1
                statement = compile(ast.fix_missing_locations(ast.Module([node], [])), str(module.__file__), "exec")
                swap = _swap_constant(module, name, statement)
                mutants.append(Mutant(module_name, source, name, change, seen[name, change], line, swap))
    return mutants


# Carrying a change out.


def _code_of(function: ast.FunctionDef, module: ModuleType) -> CodeType:
    alone = compile(ast.fix_missing_locations(ast.Module([function], [])), str(module.__file__), "exec")
    return next(part for part in alone.co_consts if isinstance(part, CodeType) and part.co_name == function.name)


def _swap_code(module: ModuleType, function: str, code: CodeType) -> _Swap:
    def swap() -> None:
        target = inspect.unwrap(getattr(module, function))
        if not isinstance(target, FunctionType):
            raise TypeError(f"{module.__name__}.{function} is compiled: mutants need NUMBA_DISABLE_JIT=1")
        target.__code__ = code

    return swap


def _swap_constant(module: ModuleType, name: str, statement: CodeType) -> _Swap:
    def swap() -> None:
        old = getattr(module, name)
        exec(statement, module.__dict__)
        new, package = getattr(module, name), module.__name__.partition(".")[0]
        for other in [other for key, other in sys.modules.items() if key.partition(".")[0] == package]:
            if other.__dict__.get(name) is old:
                setattr(other, name, new)

    return swap


# Finding changes. Each generator leaves the tree changed while it is suspended, and puts it back afterwards.


def _edits_of(function: ast.FunctionDef) -> Iterator[tuple[int, str]]:
    for statement in function.body:
        if not (isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)):  # a docstring
            yield from _edits_in(function, "body", function.body.index(statement))


def _edits_in(parent: ast.AST, field: str, index: int | None = None) -> Iterator[tuple[int, str]]:
    """Change what is in a field of a node (one place of it, if it is a list) in every way, then everything inside it."""
    node = getattr(parent, field) if index is None else getattr(parent, field)[index]
    is_last = isinstance(parent, ast.FunctionDef) and node is parent.body[-1]
    for other in _variants(node, is_last=is_last):
        _put(parent, field, index, ast.copy_location(other, node))
        yield node.lineno, f"{_text_of(node)} -> {_text_of(other)}"
        _put(parent, field, index, node)
    for name, value in ast.iter_fields(node):
        if name in ("annotation", "targets", "target", "func", "keywords"):
            continue
        if isinstance(value, ast.expr | ast.stmt):
            yield from _edits_in(node, name)
        elif isinstance(value, list):
            for place, item in enumerate(value):
                if isinstance(item, ast.expr | ast.stmt):
                    yield from _edits_in(node, name, place)


def _put(parent: ast.AST, field: str, index: int | None, node: ast.AST) -> None:
    if index is None:
        setattr(parent, field, node)
    else:
        getattr(parent, field)[index] = node


def _text_of(node: ast.AST) -> str:
    return ast.unparse(node).partition("\n")[0]


def _variants(node: ast.AST, *, is_last: bool) -> Iterator[ast.AST]:
    """What a node may be replaced by."""
    match node:
        case ast.Compare(left, [operator], rights) if type(operator) in _COMPARISONS:
            yield ast.Compare(left, [_COMPARISONS[type(operator)]()], rights)
        case ast.Compare(left, [first, second], rights) if type(first) in _COMPARISONS and type(second) in _COMPARISONS:
            yield ast.Compare(left, [_COMPARISONS[type(first)](), second], rights)
            yield ast.Compare(left, [first, _COMPARISONS[type(second)]()], rights)
        case ast.BoolOp(operator, values):
            yield ast.BoolOp(ast.Or() if isinstance(operator, ast.And) else ast.And(), values)
            for i in range(len(values)):
                rest = [*values[:i], *values[i + 1 :]]
                yield rest[0] if len(rest) == 1 else ast.BoolOp(operator, rest)
        case ast.UnaryOp(ast.Not(), operand):
            yield operand
        case ast.BinOp(left, operator, right) if type(operator) in _OPERATORS:
            yield ast.BinOp(left, _OPERATORS[type(operator)](), right)
        case ast.Constant(value) if type(value) is int:
            yield ast.Constant(value + 1)
            yield ast.Constant(value - 1)
        case ast.Constant(value) if type(value) is bool:
            yield ast.Constant(not value)
        case ast.IfExp(_, body, orelse):
            yield body
            yield orelse
        case ast.Call(ast.Name("min" | "max" as name), arguments, []):
            yield ast.Call(ast.Name("max" if name == "min" else "min", ast.Load()), arguments, [])
        case ast.If(test, body, orelse) if not isinstance(test, ast.Compare):
            yield ast.If(ast.UnaryOp(ast.Not(), test), body, orelse)
    if _can_be_left_out(node) and not is_last:
        yield ast.Pass()


def _can_be_left_out(node: ast.AST) -> Any:
    """Whether the code still makes sense without a statement: what sets a local variable stays."""
    if isinstance(node, ast.Assign):
        return not any(isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store) for part in ast.walk(node))
    return isinstance(node, ast.Expr | ast.AugAssign | ast.Return | ast.Continue | ast.Break)
