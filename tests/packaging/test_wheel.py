"""What is built and installed: one name, everything that it reads, nobody else's modules."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
ROOMS = ("model", "symbolic", "solver", "verify", "reports", "cli")
#: Files other than Python that attlas reads, or a type checker does.
DATA = {
    "attlas/py.typed",
    "attlas/theory.md",
    "attlas/reports/baseline.schema.json",
    "attlas/reports/report.schema.json",
    "attlas/reports/baselines/quick.json",
    "attlas/reports/baselines/standard.json",
    "attlas/verify/suite/scatter.json",
    "attlas/reports/page/templates/report.html.j2",
    "attlas/reports/page/templates/style.css",
    *(f"attlas/cli/schemas/{path.name}" for path in (ROOT / "cli" / "schemas").iterdir()),
}


def build(source: Path, target: str, into: Path) -> Path:
    """The wheel or sdist of a source tree, built without the network."""
    command = [sys.executable, "-m", "hatchling", "build", "-t", target, "-d", str(into)]
    subprocess.run(command, cwd=source, check=True, capture_output=True)
    (built,) = into.glob("*.whl" if target == "wheel" else "*.tar.gz")
    return built


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build(ROOT, "wheel", tmp_path_factory.mktemp("wheel"))


def names(archive: Path) -> set[str]:
    with zipfile.ZipFile(archive) as opened:
        return set(opened.namelist())


def test_the_wheel_holds_one_package_with_all_that_it_reads(wheel: Path) -> None:
    held = names(wheel)
    (information,) = {name.partition("/")[0] for name in held} - {"attlas"}
    assert re.fullmatch(r"attlas-[\d.]+\.dist-info", information)
    assert f"{information}/licenses/LICENSE" in held
    data = {name for name in held if name.startswith("attlas/") and not name.endswith(".py")}
    assert data == DATA
    for room in ROOMS:
        written = {f"attlas/{p.relative_to(ROOT)}" for p in (ROOT / room).rglob("*.py")}
        assert written == {n for n in held if n.startswith(f"attlas/{room}/") and n.endswith(".py")}


def test_the_wheel_of_the_sdist_is_the_same(wheel: Path, tmp_path: Path) -> None:
    with tarfile.open(build(ROOT, "sdist", tmp_path)) as opened:
        opened.extractall(tmp_path, filter="data")
    (source,) = (path for path in tmp_path.iterdir() if path.is_dir())
    again = build(source, "wheel", tmp_path / "again")
    assert names(again) == names(wheel)


@pytest.fixture
def strangers(tmp_path: Path) -> Path:
    """A folder whose own modules have the names of attlas's rooms."""
    folder = tmp_path / "strangers"
    folder.mkdir()
    for room in ROOMS:
        (folder / f"{room}.py").write_text("raise SystemExit('a stranger')\n", encoding="utf-8")
    snippet = re.search(r"```python\n(import attlas.*?)```", README, re.DOTALL)
    assert snippet
    (folder / "script.py").write_text(snippet[1], encoding="utf-8")
    return folder


def called(folder: Path, binaries: Path, path: str, *command: str) -> str:
    """Standard output of a program of an environment, run in a folder that it imports from."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, (str(folder), path)))}
    run = subprocess.run(
        [str(binaries / command[0]), *command[1:]],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    return run.stdout


NO_ROOM = f"""
import importlib.util
import attlas
print(attlas.__file__)
print([room for room in {ROOMS} if importlib.util.find_spec(room)])
"""


def check(folder: Path, binaries: Path, path: str) -> str:
    """README's Python and command beside strangers; where attlas was imported from."""
    elsewhere = folder.parent / "empty"
    elsewhere.mkdir()
    place, rooms = called(elsewhere, binaries, path, "python", "-c", NO_ROOM).splitlines()
    assert rooms == "[]"
    number, error = map(float, called(folder, binaries, path, "python", "script.py").split())
    assert abs(number - 0.0540882) < 1e-6
    assert 0 < error < 1e-4
    command = "attlas solve --alpha 0.2 --lam 0.01 --kappa0 0.5"
    assert f"{command}\n" in README
    told = called(folder, binaries, path, *command.split())
    assert re.search(r"test_error\b.* +0\.05408", told)
    return place


def test_this_environment_beside_a_strangers_modules(strangers: Path) -> None:
    check(strangers, Path(sys.executable).parent, os.environ.get("PYTHONPATH", ""))


@pytest.mark.slow
def test_the_wheel_in_another_environment(wheel: Path, strangers: Path, tmp_path: Path) -> None:
    home = tmp_path / "environment"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(home)], check=True)
    binaries = home / "bin"
    install = ["install", "--quiet", "--no-deps", "--no-index", str(wheel)]
    pip = [sys.executable, "-m", "pip", "--python", str(binaries / "python"), *install]
    subprocess.run(pip, check=True)
    # What attlas depends on, from here. A line adds a folder and reads none of that folder's own
    # .pth files, so that attlas itself is the wheel's.
    (packages,) = home.glob("lib/python*/site-packages")
    here = Path(pytest.__file__).parents[1]
    (packages / "dependencies.pth").write_text(f"{here}\n", encoding="utf-8")
    place = check(strangers, binaries, "")
    assert Path(place).parent == packages / "attlas"
    point = "--lam 0.05 --kappa0 0.5 --tokens 1"
    for line in (
        f"attlas sweep --alpha 0.2,0.3 {point} --workers 2",
        f"attlas simulate --alpha 0.3 {point} --d 12 --seeds 1",
        "attlas phase --tokens 1 --noise 1/2 --boundaries interpolation --out plane.svg",
        "attlas verify --list",
        "attlas doctor",
    ):
        called(strangers, binaries, "", *line.split())
    assert (strangers / "plane.svg").is_file()
