"""attlas: the exact high-dimensional theory of a trained attention head, solved and checked.

The public names, and nothing else. Each is imported when it is first used, so that
``import attlas`` loads none of the numerical libraries.

>>> import attlas
>>> problem = attlas.Problem(
...     alpha=0.2,
...     target=attlas.Wishart("1/2"),
...     channel=attlas.SoftmaxChannel(tokens=2),
...     estimator=attlas.Factorised(lam=0.01),
... )
>>> solution = attlas.solve(problem)
>>> round(solution.test_error, 6)
0.054088
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from model import (
        Atoms,
        BadInput,
        BayesOptimal,
        Direct,
        DirectPSD,
        Factorised,
        LinearChannel,
        PowerLaw,
        Problem,
        SoftmaxChannel,
        Spiked,
        Wishart,
    )
    from solver import solve
    from solver.best_lambda import best_lambda
    from solver.continuation import branches_along
    from solver.decomposition import decompose
    from solver.learned_spectrum import spectrum
    from solver.phase import phase
    from solver.scaling import scaling
    from solver.sweep import sweep
    from solver.thresholds import threshold
    from verify.simulation.simulate import simulate

__version__ = "0.1.0"

#: The room where each public name lives.
_HOMES = {
    "Atoms": "model",
    "BadInput": "model",
    "BayesOptimal": "model",
    "Direct": "model",
    "DirectPSD": "model",
    "Factorised": "model",
    "LinearChannel": "model",
    "PowerLaw": "model",
    "Problem": "model",
    "SoftmaxChannel": "model",
    "Spiked": "model",
    "Wishart": "model",
    "best_lambda": "solver.best_lambda",
    "branches_along": "solver.continuation",
    "decompose": "solver.decomposition",
    "phase": "solver.phase",
    "scaling": "solver.scaling",
    "simulate": "verify.simulation.simulate",
    "solve": "solver",
    "spectrum": "solver.learned_spectrum",
    "sweep": "solver.sweep",
    "threshold": "solver.thresholds",
}

__all__ = [
    "Atoms",
    "BadInput",
    "BayesOptimal",
    "Direct",
    "DirectPSD",
    "Factorised",
    "LinearChannel",
    "PowerLaw",
    "Problem",
    "SoftmaxChannel",
    "Spiked",
    "Wishart",
    "__version__",
    "best_lambda",
    "branches_along",
    "decompose",
    "phase",
    "scaling",
    "simulate",
    "solve",
    "spectrum",
    "sweep",
    "threshold",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'attlas' has no attribute {name!r}")
    value = getattr(importlib.import_module(_HOMES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
