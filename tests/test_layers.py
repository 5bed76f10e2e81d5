"""Layers: the import contracts of pyproject.toml hold, and no module uses what another one marks as its own."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = (ROOT / "truco_env", ROOT / "agents" / "truco_agents")
_OF_NAMED_TUPLES = frozenset({"_replace", "_asdict", "_fields", "_make"})


def _lint_imports(config: Path) -> subprocess.CompletedProcess[str]:
    program = f"from importlinter.cli import lint_imports; raise SystemExit(lint_imports({str(config)!r}, no_cache=True))"
    return subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, cwd=ROOT)


def test_every_import_contract_holds() -> None:
    done = _lint_imports(ROOT / "pyproject.toml")
    assert done.returncode == 0, done.stdout + done.stderr


def test_a_forbidden_import_breaks_a_contract(tmp_path: Path) -> None:
    config = tmp_path / "contracts.ini"
    config.write_text(
        "[importlinter]\nroot_package = truco_env\n\n[importlinter:contract:1]\nname = upside down\ntype = layers\n"
        "layers =\n    truco_env.rules\n    truco_env.engine\n",
        encoding="utf-8",
    )
    done = _lint_imports(config)
    assert done.returncode == 1
    assert "truco_env.engine is not allowed to import truco_env.rules" in done.stdout


@pytest.mark.parametrize("module", ["truco_env.rules.options", "truco_env.rules.text", "truco_env.errors"])
def test_the_data_of_a_table_load_no_compiler(module: str) -> None:
    program = f"import sys, {module}; from truco_env import Rules; Rules('argentino'); print('numba' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, cwd=ROOT).stdout == "False\n"


def _is_private(name: str) -> bool:
    return name.startswith("_") and not name.endswith("__")


def _defined(tree: ast.AST) -> set[str]:
    """The private names that a module defines: functions, classes, variables, attributes."""
    names: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            names.add(node.name)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            names.add(node.id)
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            names.add(node.attr)
    return {name for name in names if _is_private(name)}


def _used(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """The private names that a module imports, or reads from anything but ``self``, ``cls`` and ``super()``."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            yield from ((node.lineno, alias.name) for alias in node.names if _is_private(alias.name))
        elif isinstance(node, ast.Attribute) and _is_private(node.attr) and node.attr not in _OF_NAMED_TUPLES:
            owner = node.value.func if isinstance(node.value, ast.Call) else node.value
            if not (isinstance(owner, ast.Name) and owner.id in ("self", "cls", "super")):
                yield node.lineno, node.attr


def _foreign_names(sources: dict[str, str]) -> list[str]:
    """Uses of a private name of another module, as ``file:line name``."""
    trees = {name: ast.parse(source) for name, source in sources.items()}
    defined = {name: _defined(tree) for name, tree in trees.items()}
    known = set().union(*defined.values())
    return [
        f"{name}:{line} {used}" for name, tree in trees.items() for line, used in _used(tree) if used in known and used not in defined[name]
    ]


def test_no_module_uses_a_private_name_of_another() -> None:
    sources = {str(path.relative_to(ROOT)): path.read_text(encoding="utf-8") for root in PACKAGES for path in root.rglob("*.py")}
    assert len(sources) > 80
    assert _foreign_names(sources) == []


def test_a_private_name_of_another_module_is_found() -> None:
    a = "_x = 1\nclass A:\n    def __init__(self): self._y = 1\n    def twin(self, a): return a._y\n"
    b = "from a import _x\ndef f(a): return a._y\nclass B:\n    def g(self): return self._y, self.t._replace()\n"
    assert _foreign_names({"a.py": a, "b.py": b}) == ["b.py:1 _x", "b.py:2 _y"]
