"""Rooms ask a part what it can do; nobody outside its own files asks what kind it is."""

from __future__ import annotations

import ast
import importlib
import inspect
import pkgutil

from attlas.model.channels import Channel
from attlas.model.estimators import Estimator
from attlas.model.targets import Target
from attlas.solver import spectrum
from tests.packaging.test_imports import MODULES, ROOT

#: Room and folder in which a part may know itself: its model, and its numbers.
HOMES = {
    "model.targets": ("model/targets", "solver/spectrum"),
    "solver.spectrum": ("solver/spectrum",),
    "model.channels": ("model/channels", "solver/channels"),
    "model.estimators": ("model/estimators",),
}


def parts() -> dict[str, tuple[str, ...]]:
    """The classes of parts, with the folders that may ask for them."""
    found: dict[str, tuple[str, ...]] = {}
    for home, folders in HOMES.items():
        package = importlib.import_module(f"attlas.{home}")
        for info in pkgutil.walk_packages(package.__path__, f"attlas.{home}."):
            module = importlib.import_module(info.name)
            for name, one in inspect.getmembers(module, inspect.isclass):
                bases = (Target, Channel, Estimator, spectrum.TargetLaw)
                if one.__module__ == info.name and issubclass(one, bases) and one not in bases:
                    found[name] = folders
    return found


def asked(tree: ast.AST) -> set[str]:
    """The names of classes that a file tests for."""
    calls = (node for node in ast.walk(tree) if isinstance(node, ast.Call))
    tests = (
        call
        for call in calls
        if getattr(call.func, "id", "") in ("isinstance", "issubclass") and len(call.args) == 2
    )
    return {
        getattr(node, "id", None) or getattr(node, "attr", "")
        for call in tests
        for node in ast.walk(call.args[1])
    }


def test_no_part_is_asked_for_its_kind() -> None:
    known = parts()
    assert {"Wishart", "Spiked", "SoftmaxChannel", "Factorised", "GroupedTargetLaw"} <= set(known)
    found = set()
    for path in MODULES.values():
        place = path.relative_to(ROOT).as_posix()
        for name in asked(ast.parse(path.read_text(encoding="utf-8"))):
            if not place.startswith(known.get(name, ("",))):
                found.add((place, name))
    assert found == set()
