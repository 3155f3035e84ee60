"""Smaller studies of power laws: rows of numbers, theory and heads side by side."""

from __future__ import annotations

from importlib import import_module

from attlas.model.errors import unknown_name
from attlas.verify.studies.study import Row, Study

#: Where each study lives.
_HOMES = {
    "pruning": "attlas.verify.studies.pruning",
    "tail": "attlas.verify.studies.tail",
    "lasso": "attlas.verify.studies.lasso",
    "time": "attlas.verify.studies.time",
    "heads": "attlas.verify.studies.heads",
    "departures": "attlas.verify.studies.departures",
}
NAMES = tuple(_HOMES)


def study(name: str) -> Study:
    """The study of a name.

    Raises
    ------
    BadInput
        If there is none; the nearest name is given.
    """
    if name not in _HOMES:
        raise unknown_name("study", name, NAMES)
    return import_module(_HOMES[name]).STUDY


__all__ = ["NAMES", "Row", "Study", "study"]
