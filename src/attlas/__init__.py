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

from attlas.drawing import drawn_by

if TYPE_CHECKING:
    from attlas.model import (
        Atoms,
        BadInput,
        BayesOptimal,
        Channel,
        Direct,
        DirectPSD,
        Estimator,
        Factorised,
        KLChannel,
        LinearChannel,
        NextTokenChannel,
        Penalty,
        PowerLaw,
        Problem,
        Product,
        SoftmaxChannel,
        Spiked,
        Target,
        Tokens,
        Untied,
        Wishart,
        register,
    )
    from attlas.reports import plot
    from attlas.solver import solve
    from attlas.solver.best_lambda import BestLambdaResult, best_lambda
    from attlas.solver.continuation import branches_along
    from attlas.solver.decomposition import Decomposition, decompose
    from attlas.solver.dynamics import Dynamics, dynamics
    from attlas.solver.learned_spectrum import Spectrum, spectrum
    from attlas.solver.phase import PhaseDiagram, phase
    from attlas.solver.scaling import scaling
    from attlas.solver.solution import Solution
    from attlas.solver.sweep import sweep
    from attlas.solver.thresholds import ThresholdResult, threshold
    from attlas.solver.tokens import tokens
    from attlas.solver.weights import describe_weights as weights
    from attlas.verify.claims.conjecture import claim
    from attlas.verify.simulation.result import Simulation
    from attlas.verify.simulation.simulate import simulate
    from attlas.verify.suite.check import Check, check
    from attlas.verify.suite.compare import compare

__version__ = "0.1.0"

#: Where each public name lives: ``room``, ``room:own name``, or ``module:`` for all of a module.
_HOMES = {
    "Atoms": "attlas.model",
    "BadInput": "attlas.model",
    "BayesOptimal": "attlas.model",
    "BestLambdaResult": "attlas.solver.best_lambda",
    "Channel": "attlas.model",
    "Check": "attlas.verify.suite.check",
    "Decomposition": "attlas.solver.decomposition",
    "Direct": "attlas.model",
    "DirectPSD": "attlas.model",
    "Dynamics": "attlas.solver.dynamics",
    "Estimator": "attlas.model",
    "Factorised": "attlas.model",
    "KLChannel": "attlas.model",
    "LinearChannel": "attlas.model",
    "NextTokenChannel": "attlas.model",
    "Penalty": "attlas.model",
    "PhaseDiagram": "attlas.solver.phase",
    "PowerLaw": "attlas.model",
    "Problem": "attlas.model",
    "Product": "attlas.model",
    "Simulation": "attlas.verify.simulation.result",
    "SoftmaxChannel": "attlas.model",
    "Solution": "attlas.solver.solution",
    "Spectrum": "attlas.solver.learned_spectrum",
    "Spiked": "attlas.model",
    "Target": "attlas.model",
    "ThresholdResult": "attlas.solver.thresholds",
    "Tokens": "attlas.model",
    "Untied": "attlas.model",
    "Wishart": "attlas.model",
    "best_lambda": "attlas.solver.best_lambda",
    "branches_along": "attlas.solver.continuation",
    "check": "attlas.verify.suite.check",
    "claim": "attlas.verify.claims.conjecture",
    "compare": "attlas.verify.suite.compare",
    "decompose": "attlas.solver.decomposition",
    "dynamics": "attlas.solver.dynamics",
    "phase": "attlas.solver.phase",
    "plot": "attlas.reports.plot:",
    "register": "attlas.model",
    "scaling": "attlas.solver.scaling",
    "simulate": "attlas.verify.simulation.simulate",
    "solve": "attlas.solver",
    "spectrum": "attlas.solver.learned_spectrum",
    "sweep": "attlas.solver.sweep",
    "threshold": "attlas.solver.thresholds",
    "tokens": "attlas.solver.tokens",
    "weights": "attlas.solver.weights:describe_weights",
}

__all__ = [
    "Atoms",
    "BadInput",
    "BayesOptimal",
    "BestLambdaResult",
    "Channel",
    "Check",
    "Decomposition",
    "Direct",
    "DirectPSD",
    "Dynamics",
    "Estimator",
    "Factorised",
    "KLChannel",
    "LinearChannel",
    "NextTokenChannel",
    "Penalty",
    "PhaseDiagram",
    "PowerLaw",
    "Problem",
    "Product",
    "Simulation",
    "SoftmaxChannel",
    "Solution",
    "Spectrum",
    "Spiked",
    "Target",
    "ThresholdResult",
    "Tokens",
    "Untied",
    "Wishart",
    "__version__",
    "best_lambda",
    "branches_along",
    "check",
    "claim",
    "compare",
    "decompose",
    "dynamics",
    "phase",
    "plot",
    "register",
    "scaling",
    "simulate",
    "solve",
    "spectrum",
    "sweep",
    "threshold",
    "tokens",
    "weights",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'attlas' has no attribute {name!r}")
    home, module, own = _HOMES[name].partition(":")
    value = importlib.import_module(home)
    if own or not module:
        value = getattr(value, own or name)
    globals()[name] = value
    return value


#: What draws a result, by the name of its class.
_PICTURES = {
    "BestLambdaResult": ("attlas.reports.plot", "best_lambda_figure"),
    "Check": ("attlas.reports.figures.check", "check_figure"),
    "Curve": ("attlas.reports.figures.emergence", "emergence_figure"),
    "Decomposition": ("attlas.reports.figures.decomposition", "parts_figure"),
    "Dynamics": ("attlas.reports.figures.dynamics", "dynamics_figure"),
    "MeasuredTokens": ("attlas.reports.figures.tokens", "tokens_figure"),
    "PhaseDiagram": ("attlas.reports.figures.phase_diagram", "phase_figure"),
    "Plane": ("attlas.reports.figures.scaling", "scaling_figure"),
    "Simulation": ("attlas.reports.plot", "simulation_figure"),
    "Solution": ("attlas.reports.figures.solution", "solution_figure"),
    "Spectrum": ("attlas.reports.figures.spectrum", "spectrum_figure"),
    "WeightsDescription": ("attlas.reports.figures.weights", "weights_figure"),
}


def _draw(result: object, path: Any = None, **options: Any) -> Any:
    kind = type(result).__name__
    if kind not in _PICTURES:
        raise TypeError(
            f"{kind} has no picture of its own: attlas.phase draws thresholds in a plane"
        )
    sheet = importlib.import_module("attlas.reports.figures.sheet")
    target = None if path is None else sheet.require_picture("path", path)
    module, name = _PICTURES[kind]
    figure = getattr(importlib.import_module(module), name)(result, **options)
    if target is not None:
        sheet.save(figure, target)
    return figure


drawn_by(_draw)


def __dir__() -> list[str]:
    return sorted(__all__)
