"""The algorithms that train a head, by name. One file each; a new one adds one line here."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING

import numpy as np

from model import Problem
from model.errors import unknown_name
from verify.certificate import Certificate
from verify.data import Data

if TYPE_CHECKING:
    import torch


@dataclass(frozen=True, eq=False)
class Training:
    """What an algorithm is given.

    Attributes
    ----------
    problem : Problem
    data : Data
        The training set, on the CPU in float64.
    d, p : int
        Token dimension and width of the student.
    lams : tuple of float
        Weight decays, decreasing: each but the last is a warm start for the next.
    seed : int
        Fixes the initialisation.
    device : torch.device
    centring : str
    tolerance : float
        On the relative gradient norm.
    adam_steps, max_steps : int
        Steps of Adam, and gradient evaluations allowed after it.
    initialisation : str
    report : callable (stage, step, steps) or None
    """

    problem: Problem
    data: Data
    d: int
    p: int
    lams: tuple[float, ...]
    seed: int
    device: torch.device
    centring: str
    tolerance: float
    adam_steps: int
    max_steps: int
    initialisation: str
    report: Callable[[str, int, int], None] | None = None


@dataclass(frozen=True, eq=False)
class Trained:
    """What an algorithm returns.

    Attributes
    ----------
    s : ndarray (d, d)
        The learned map, float64.
    eigenvalues : ndarray (d,)
        Of s, descending; none negative where s = W W^T/sqrt(p d), for they are squared singular
        values of W.
    certificate : Certificate
    precision : str
        The arithmetic of each stage.
    w : ndarray (d, p) or None
        The factor, where there is one.
    """

    s: np.ndarray
    eigenvalues: np.ndarray
    certificate: Certificate
    precision: str
    w: np.ndarray | None = None


Algorithm = Callable[[Training], Trained]

#: name -> "module:function". Modules are imported when used, so that listing names needs no torch.
ALGORITHMS: dict[str, str] = {"adam": "verify.factor_training:train"}


def algorithm(name: str) -> Algorithm:
    """The algorithm of that name.

    Raises
    ------
    BadInput
        Naming the nearest valid name.
    """
    if name not in ALGORITHMS:
        raise unknown_name("--algorithm", name, ALGORITHMS)
    module, _, function = ALGORITHMS[name].partition(":")
    return getattr(import_module(module), function)
