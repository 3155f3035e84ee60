"""One run, before it is made: what identifies it and its row."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from attlas.model import Problem, parameters_of
from attlas.model.parameters import plugins_of

#: Raised by hand whenever a formula of the theory or of a measurement changes, so that old rows
#: are not taken for new ones. Package versions do not enter addresses: they are columns.
FORMULA_VERSION = 1

#: The source of rows that hold runs; rows of wrong theories carry the control's id instead.
SIMULATION = "simulation"
#: Seeds at one size lie within a block of this many numbers, so that sizes share none.
SEED_BLOCK = 1_000


@dataclass(frozen=True)
class Case:
    """A problem at finite dimension, the seed and the way it is run.

    Attributes
    ----------
    problem : Problem
    d, seed : int
    algorithm : str
        ``"adam"`` and others that ``attlas.verify.simulation.simulate`` knows.
    precision : str
        Arithmetic of the final stage, on which measurements rest: ``"float64"``.
    centring : str
        How scores are centred: ``"trace"`` or ``"average"``.
    source : str
        ``"simulation"``, or the id of the control whose theory the row holds.
    """

    problem: Problem
    d: int
    seed: int
    algorithm: str = "adam"
    precision: str = "float64"
    centring: str = "trace"
    source: str = SIMULATION

    @cached_property
    def address(self) -> str:
        """Hexadecimal digest of everything that identifies the row."""
        identity = {
            "problem": exact_parameters(self.problem),
            "d": self.d,
            "seed": self.seed,
            "algorithm": self.algorithm,
            "precision": self.precision,
            "centring": self.centring,
            "tokens_law": "gaussian",  # what a problem does not say of its tokens: nothing today
            "source": self.source,
            "formula_version": FORMULA_VERSION,
        }
        text = json.dumps(identity, sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(text.encode()).hexdigest()[:40]

    def under(self, control: str) -> Case:
        """The row of the same run under a control."""
        return replace(self, source=control)


def exact_parameters(problem: Problem) -> dict[str, str | int]:
    """The flat parameters of a problem, with a digest of eigenvalues where they are its target.

    A file of eigenvalues, or of code, is identified by what is in it, not by its path.
    """
    parameters: dict[str, str | int] = {**parameters_of(problem), **plugins_of(problem)}
    if problem.target.by_value and problem.target.eigenvalues is not None:
        parameters["target"] = _digest(problem.target.eigenvalues)
    covariance = problem.tokens.covariance
    if covariance is not None and covariance.by_value:
        parameters["token_covariance"] = _digest(*covariance.atoms())
    return parameters


def _digest(*listed: Sequence[float] | np.ndarray) -> str:
    values = b"".join(np.asarray(one, dtype="<f8").tobytes() for one in listed)
    return f"eigenvalues:{hashlib.sha256(values).hexdigest()[:16]}"
