"""Every key of every result, collected from the classes that hold them."""

from __future__ import annotations

import importlib
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace
from functools import cache

from attlas.model.result_key import ResultKey, key_fields
from attlas.symbolic import notation as sym
from attlas.symbolic.explain import Catalogue
from attlas.symbolic.result_keys import LISTED

_SOLVED = ("solve", "simulate", "sweep", "phase")
#: The result classes, and the commands that print their keys.
_RESULTS: dict[str, tuple[str, ...]] = {
    "attlas.solver.solution:Observables": _SOLVED,
    "attlas.solver.decomposition.decompose:DecompositionValues": ("decompose",),
    "attlas.solver.best_lambda:BestLambda": ("best-lambda",),
    "attlas.solver.thresholds.result:ThresholdResult": ("threshold",),
    "attlas.solver.learned_spectrum.result:SpectrumValues": ("spectrum",),
    "attlas.solver.learned_spectrum.result:LearnedBand": ("spectrum",),
    "attlas.solver.learned_spectrum.result:LearnedOutlier": ("spectrum",),
    "attlas.solver.learned_spectrum.result:Undetected": ("spectrum",),
    "attlas.solver.learned_spectrum.result:Density": ("spectrum",),
    "attlas.solver.dynamics.result:Dynamics": ("dynamics",),
    "attlas.solver.weights.describe:WeightsDescription": ("spectrum",),
    "attlas.solver.weights.describe:Head": ("spectrum",),
    "attlas.solver.weights.tail:Tail": ("spectrum",),
    "attlas.solver.tokens.result:MeasuredTokens": ("tokens",),
    "attlas.solver.tokens.result:TokenStatistics": ("tokens",),
    "attlas.verify.simulation.result:Simulation": ("simulate",),
    "attlas.verify.simulation.result:Run": ("simulate",),
    "attlas.verify.simulation.comparison:Paired": ("simulate",),
    "attlas.verify.training.certificate:Certificate": ("simulate",),
    "attlas.verify.training.amp.iteration:Iteration": ("simulate",),
}
#: Symbols and keys that are columns of tables with several problems, too.
_COLUMNS: dict[str, tuple[str, ...]] = {
    "alpha": ("sweep", "phase", "decompose", "spectrum", "scaling"),
    "lam": ("sweep", "phase", "spectrum", "scaling"),
    "noise": ("sweep", "phase", "scaling"),
    "tokens": ("sweep", "scaling"),
    "kappa0": ("sweep", "phase"),
    **dict.fromkeys(("kappa", "beta", "beta0"), ("sweep",)),
    **dict.fromkeys(("delta", "epsilon"), ("scaling",)),
    "mse": ("scaling", "spectrum"),
    "test_error": ("spectrum",),
}


def result_class(place: str) -> type:
    """A class by its module and name, as ``attlas.solver.solution:Observables``."""
    module, _, name = place.partition(":")
    return getattr(importlib.import_module(module), name)


@cache
def catalogue() -> Catalogue:
    """The keys by name, and the symbols that are keys.

    Raises
    ------
    ValueError
        If a field leaves its meaning to another key or symbol, and there is none.
    """
    symbols = {entry.key for entry in sym.notations()}
    keys: defaultdict[str, list[ResultKey]] = defaultdict(list)
    printed: defaultdict[str, dict[str, None]] = defaultdict(dict)
    shared: list[ResultKey] = []
    for one in (*_printed(), *LISTED):
        if one.meaning:
            keys[one.key].append(one)
        else:
            shared.append(one)
    for one in shared:
        if senses := [sense for sense in keys[one.key] if set(one.verbs) <= set(sense.verbs)]:
            continue
        if one.key in symbols:
            printed[one.key].update(dict.fromkeys(one.verbs))
        elif senses := keys[one.key]:
            verbs = tuple(dict.fromkeys((*senses[0].verbs, *one.verbs)))
            senses[0] = replace(senses[0], verbs=verbs)
        else:
            raise ValueError(f"the field {one.key} has no meaning, nor has any other of its name")
    return Catalogue(
        {name: tuple(senses) for name, senses in keys.items() if senses},
        {name: tuple(verbs) for name, verbs in printed.items()},
    )


def _printed() -> Iterator[ResultKey]:
    for place, verbs in _RESULTS.items():
        for field in key_fields(result_class(place)):
            yield ResultKey(**vars(field.key), key=field.name, verbs=verbs)
    for name, verbs in _COLUMNS.items():
        yield ResultKey(key=name, verbs=verbs)
