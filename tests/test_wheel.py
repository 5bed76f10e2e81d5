"""The wheel: both packages under names of their own, presets, types and the program, and it runs from where it is installed."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from importlib.util import find_spec
from pathlib import Path

import pytest

import truco_env

ROOT = Path(__file__).parent.parent


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("dist")
    build = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(out), str(ROOT)]
    done = subprocess.run(build, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    (path,) = out.glob("*.whl")
    return path


def _names(wheel: Path) -> list[str]:
    with zipfile.ZipFile(wheel) as archive:
        return archive.namelist()


def test_nothing_but_the_two_packages_is_installed(wheel: Path) -> None:
    folders = {name.split("/")[0] for name in _names(wheel)}
    assert folders == {"truco_env", "truco_agents", f"truco_env-{truco_env.__version__}.dist-info"}


def test_every_module_and_the_marks_of_types_are_in_it(wheel: Path) -> None:
    names = set(_names(wheel))
    for package in (ROOT / "truco_env", ROOT / "agents" / "truco_agents"):
        modules = {str(path.relative_to(package.parent)) for path in package.rglob("*.py")}
        assert modules and modules <= names
        assert f"{package.name}/py.typed" in names


@pytest.mark.skipif(find_spec("pydantic") is None, reason="configs are read by the extra train")
def test_the_presets_are_in_it_and_found_by_name(wheel: Path, tmp_path: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(tmp_path)
    presets = sorted(path.name for path in (ROOT / "configs").glob("*.yaml"))
    assert presets and sorted(path.name for path in (tmp_path / "truco_agents" / "configs").iterdir()) == presets
    code = "from truco_agents.training.config_file import find_config; print(find_config('smoke'))"
    environment = {**os.environ, "PYTHONPATH": str(tmp_path)}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=tmp_path, env=environment)
    assert Path(done.stdout.strip()) == tmp_path / "truco_agents" / "configs" / "smoke.yaml"


def test_the_program_is_declared(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        entries = archive.read(f"truco_env-{truco_env.__version__}.dist-info/entry_points.txt").decode()
    assert "truco = truco_env.program.main:main" in entries


def test_an_unpacked_wheel_runs(wheel: Path, tmp_path: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(tmp_path)
    code = (
        "import truco_env, truco_agents; from truco_env.program.main import main; print(truco_env.__file__); main(['rules', 'trucomano'])"
    )
    environment = {**os.environ, "PYTHONPATH": str(tmp_path)}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=tmp_path, env=environment)
    assert done.stdout.startswith(str(tmp_path)) and "trucomano: 2 players" in done.stdout


def test_the_folder_of_the_agents_hides_no_package_called_agents(tmp_path: Path) -> None:
    package = tmp_path / "agents"
    package.mkdir()
    (package / "__init__.py").write_text("OURS = False\n", encoding="utf-8")
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, (ROOT, ROOT / "agents", tmp_path)))}
    done = subprocess.run(
        [sys.executable, "-c", "import agents; print(agents.OURS)"], capture_output=True, text=True, env=environment, check=True
    )
    assert done.stdout == "False\n"
