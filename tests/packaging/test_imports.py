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
from attlas.cli.main import VERBS

ROOT = Path(__file__).parents[2]
MAIN = "from attlas.cli.main import main"
HEAVY = ("sympy", "torch", "scipy", "matplotlib", "pyarrow", "numba", "mpmath")
ROOMS = ("model", "symbolic", "solver", "verify", "reports", "cli")


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
        "import attlas.model",
        "import attlas.cli.main",
        f"{MAIN}; assert main(['--help']) == 0",
        f"{MAIN}; assert main(['--version']) == 0",
        *(
            f"from attlas.cli.main import main; assert main(['{verb}', '--help']) == 0"
            for verb in VERBS
        ),
        f"{MAIN}; assert main(['solve', '--kapa0', '1']) == 2",
    ],
)
def test_light_commands_load_no_numerical_library(statement: str) -> None:
    assert loaded(statement) == set()


def test_solving_two_tokens_loads_no_statistics_and_no_pictures() -> None:
    line = ["solve", "--alpha", "0.2", "--lam", "0.01", "--kappa0", "0.5"]
    code = f"{MAIN}; assert main({line!r}) == 0; assert 'scipy.stats' not in sys.modules"
    assert loaded(code) & {"sympy", "torch", "matplotlib", "pyarrow"} == set()


def test_front_door_names_resolve() -> None:
    for name in attlas.__all__:
        assert getattr(attlas, name) is not None
    assert set(attlas.__all__) <= set(dir(attlas))
    with pytest.raises(AttributeError, match="no attribute 'slove'"):
        attlas.slove  # noqa: B018  # pyright: ignore[reportAttributeAccessIssue]


PATHS = {room: sorted((ROOT / room).rglob("*.py")) for room in ROOMS}


def module_of(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(("attlas", *parts)).removesuffix(".__init__")


MODULES = {module_of(path): path for paths in PATHS.values() for path in paths}


def imports(path: Path, everywhere: bool) -> set[str]:
    """The modules of attlas that a file imports on its top level, or everywhere, strings too."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    found: set[str] = set()
    for node in ast.walk(tree) if everywhere else tree.body:
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            assert not node.level, path
            inner = {f"{node.module}.{alias.name}" for alias in node.names}
            found |= {name if name in MODULES else node.module for name in inner}
        elif everywhere and isinstance(node, ast.Constant) and isinstance(node.value, str):
            found |= {node.value.partition(":")[0]} & set(MODULES)
    return {name for name in found if name in MODULES or name == "attlas"}


def test_every_import_is_of_the_one_package() -> None:
    for path in (*(ROOT / "tests").rglob("*.py"), *MODULES.values()):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom | ast.Import):
                name = getattr(node, "module", None) or node.names[0].name
                assert name.partition(".")[0] not in ROOMS, path.relative_to(ROOT)


@pytest.mark.parametrize("room", ROOMS)
def test_imports_flow_one_way(room: str) -> None:
    """Imports within functions, and those by a string, go the same way as all others."""
    allowed = {f"attlas.{name}" for name in ROOMS[: ROOMS.index(room) + 1]}
    allowed |= {"attlas"} if room == "cli" else set()
    assert PATHS[room], room
    for path in PATHS[room]:
        rooms = {".".join(name.split(".")[:2]) for name in imports(path, everywhere=True)}
        assert rooms <= allowed, path.relative_to(ROOT)


def graph_of(part: Callable[[str], str], everywhere: bool) -> TopologicalSorter[str]:
    """Which parts import which, on the top level of files or everywhere in them."""
    graph: TopologicalSorter[str] = TopologicalSorter()
    for module, path in MODULES.items():
        for target in imports(path, everywhere):
            if part(target) != part(module):
                graph.add(part(module), part(target))
    return graph


@pytest.mark.parametrize(
    ("part", "everywhere"),
    [(lambda module: module, True), (lambda module: ".".join(module.split(".")[:3]), False)],
    ids=["modules", "files and folders of a room"],
)
def test_nothing_imports_in_a_circle(part: Callable[[str], str], everywhere: bool) -> None:
    """Modules not even within functions or by a string; claims name experiments so, as folders."""
    graph_of(part, everywhere).prepare()  # CycleError names the circle
