"""The pictures that a reader of the paper looks for, each made in one command."""

from __future__ import annotations

import importlib

from attlas.model.errors import required, unknown_name
from attlas.reports.reproduce.families import FAMILIES
from attlas.reports.reproduce.families import make as make_family
from attlas.reports.reproduce.picture import Picture
from attlas.reports.reproduce.work import Work

#: Every picture; the file that makes it has its name, or it is one of the families of curves.
PICTURES: tuple[str, ...] = (
    "learning-curves",
    "spectra",
    "factorised-vs-direct",
    "interpolation-peak",
    "two-peaks",
    "power-law",
    "data-time-compute",
    "decomposition",
    "bayes",
    "phase-diagram",
    *FAMILIES,
)

__all__ = ["PICTURES", "Picture", "Work", "reproduce"]


def reproduce(name: str, *, full: bool = False, work: Work | None = None) -> Picture:
    """Compute what one picture shows, theory and simulation.

    Parameters
    ----------
    name : str
        One of :data:`PICTURES`.
    full : bool
        The paper's sizes, which take up to an hour, instead of ones that take a minute.
    work : Work, optional
        Receives a line for each thing that is computed, and keeps it.

    Raises
    ------
    BadInput
        For an unknown name.
    ComputationFailed
        Without torch, which trains the heads.
    """
    if name not in PICTURES:
        raise unknown_name("reproduce", name, PICTURES)
    required("torch")  # every picture shows trained heads: not after the theory is computed
    if name in FAMILIES:
        return make_family(name, full, work or Work())
    module = importlib.import_module(f"attlas.reports.reproduce.{name.replace('-', '_')}")
    return module.make(full, work or Work())
