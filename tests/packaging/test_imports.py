"""What importing costs, and the one-way flow between the rooms."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Callable
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

import attlas
from cli.main import VERBS

ROOT = Path(attlas.__file__).parent
HEAVY = ("sympy", "torch", "scipy", "matplotlib", "pyarrow", "numba", "mpmath")
ROOMS = ("model", "symbolic", "solver", "verify", "reports", "cli", "attlas")


def loaded(statement: str) -> set[str]:
    """The heavy modules that a fresh interpreter holds after a statement."""
    code = f"import sys\n{statement}\nprint(*(set(sys.modules) & set({HEAVY!r})), file=sys.stderr)"
    command = [sys.executable, "-c", code]
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    return set(run.stderr.splitlines()[-1].split())


@pytest.mark.parametrize(
    "statement",
    [
        "import attlas",
        "import attlas; attlas.Problem",
        "import model",
        "import cli.main",
        "from cli.main import main; assert main(['--help']) == 0",
        "from cli.main import main; assert main(['--version']) == 0",
        *(f"from cli.main import main; assert main(['{verb}', '--help']) == 0" for verb in VERBS),
        "from cli.main import main; assert main(['solve', '--kapa0', '1']) == 2",
    ],
)
def test_light_commands_load_no_numerical_library(statement: str) -> None:
    assert loaded(statement) == set()


def test_front_door_names_resolve() -> None:
    for name in attlas.__all__:
        assert getattr(attlas, name) is not None
    assert set(attlas.__all__) <= set(dir(attlas))
    with pytest.raises(AttributeError, match="no attribute 'slove'"):
        attlas.slove  # noqa: B018  # pyright: ignore[reportAttributeAccessIssue]


def imported_rooms(path: Path) -> set[str]:
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names.add(node.module.partition(".")[0])
    return names & set(ROOMS)


@pytest.mark.parametrize("room", ROOMS[:-1])
def test_imports_flow_one_way(room: str) -> None:
    files = sorted((ROOT / room).rglob("*.py"))
    assert files, room
    allowed = set(ROOMS[: ROOMS.index(room) + 1]) | ({"attlas"} if room == "cli" else set())
    for path in files:
        assert imported_rooms(path) <= allowed, path.relative_to(ROOT)


def module_of(path: Path) -> str:
    return ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


def graph_of(part: Callable[[str], str]) -> TopologicalSorter[str]:
    """Which parts import which. Imports within functions apart: they run after both are there."""
    paths = [path for room in ROOMS[:-1] for path in (ROOT / room).rglob("*.py")]
    known = {module_of(path) for path in paths}
    graph: TopologicalSorter[str] = TopologicalSorter()
    for path in paths:
        here = part(module_of(path))
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.ImportFrom) and node.module:
                for alias in node.names:
                    inner = f"{node.module}.{alias.name}"
                    target = inner if inner in known else node.module
                    if target in known and part(target) != here:
                        graph.add(here, part(target))
    return graph


@pytest.mark.parametrize(
    "part",
    [lambda module: module, lambda module: ".".join(module.split(".")[:2])],
    ids=["modules", "files and folders of a room"],
)
def test_nothing_imports_in_a_circle(part: Callable[[str], str]) -> None:
    graph_of(part).prepare()  # CycleError names the circle
