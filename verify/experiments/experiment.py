"""Claims that compare something else than a trained head with the theory at its own teacher."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib import import_module

from attlas.verify.claims.claim import Control
from attlas.verify.store.case import Case


@dataclass(frozen=True)
class Measurement:
    """What one case of an experiment gave.

    Attributes
    ----------
    measured, reference : mapping from quantity to float
        What is compared with what. A reference may be a theory or another way to the same number.
    reference_error : mapping from quantity to float
        Absolute error bars of the reference.
    converged : bool
        Whether all that was trained met its certificate.
    certificate : float
        The worst certificate.
    data_hash : str
    """

    measured: Mapping[str, float]
    reference: Mapping[str, float]
    reference_error: Mapping[str, float] = field(default_factory=dict)
    converged: bool = True
    certificate: float = 0.0
    data_hash: str = ""


@dataclass(frozen=True)
class Experiment:
    """How the rows of a claim are made.

    Attributes
    ----------
    measure : callable
        A case to its measurement.
    wrong : callable
        A case and one of the claim's controls to the wrong reference, quantity by quantity.
    trains : bool
        Whether its cases cost what training costs; else the sizes are not those of data.
    """

    measure: Callable[[Case], Measurement]
    wrong: Callable[[Case, Control], dict[str, float]]
    trains: bool = True


def experiment_at(path: str) -> Experiment:
    """The experiment of a claim, from its ``"module:object"``; imported when it is run."""
    module, _, name = path.partition(":")
    return getattr(import_module(module), name)
