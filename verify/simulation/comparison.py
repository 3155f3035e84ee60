"""Runs beside the theory at their own teachers: how far apart, and is that more than chance."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated

import numpy as np
from scipy import stats

from attlas.model.result_key import Definition, Key, theory_md
from attlas.verify.judgement.equivalence import holm

#: Level, over all quantities of a simulation, at which a difference is said to be more than chance.
LEVEL = 0.05


@dataclass(frozen=True)
class Paired:
    """A quantity's difference from the theory at the runs' own teachers, relative to it.

    Attributes
    ----------
    difference, standard_error : float
        Mean of the runs' relative deviations, and its standard error from their scatter, which is
        without the teachers' own; NaN for a single run.
    p_value : float
        Chance of a larger difference if there is none (Student's t); NaN for a single run.
    coefficient : float
        The difference times d: the c of a correction c/d that would explain all of it. What 1/d
        explains is c of order one.
    """

    difference: Annotated[
        float,
        Key(
            "mean of the runs' relative deviations from the theory at their own teachers",
            "real",
            theory_md("16"),
            Definition("observed/theory − 1", r"\text{observed}/\text{theory}-1"),
        ),
    ]
    standard_error: Annotated[
        float,
        Key(
            "standard error of difference over seeds, without the scatter of the teachers",
            "0 or more",
            theory_md("16"),
        ),
    ]
    p_value: Annotated[
        float, Key("chance of a larger difference if there is none (Student's t)", "0 to 1")
    ]
    coefficient: Annotated[
        float,
        Key(
            "what the difference would be explained by: a correction c/d; order one is usual",
            "real",
            theory_md("16"),
            Definition("c = difference · d", r"c = \text{difference}\cdot d"),
        ),
    ]


def paired_differences(deviations: Sequence[Mapping[str, float]], d: int) -> dict[str, Paired]:
    """The quantities that every run can be compared in.

    Parameters
    ----------
    deviations : sequence of mapping from result key to float
        Of each run, relative, from its paired theory.
    d : int
    """
    keys = [key for key in deviations[0] if all(key in one for one in deviations)]
    return {key: _paired(np.array([one[key] for one in deviations]), d) for key in keys}


def _paired(values: np.ndarray, d: int) -> Paired:
    mean, error, p = float(values.mean()), math.nan, math.nan
    if values.size > 1:
        error = float(values.std(ddof=1) / math.sqrt(values.size))
        t = abs(mean) / error if error else math.inf if mean else 0.0
        p = 2 * float(stats.t.sf(t, values.size - 1))
    return Paired(difference=mean, standard_error=error, p_value=p, coefficient=mean * d)


def sentence(differences: Mapping[str, Paired], d: int) -> str:
    """What the differences say, in words; empty where nothing was paired."""
    if not differences:
        return ""
    tested = {key: one for key, one in differences.items() if not math.isnan(one.p_value)}
    if not tested:
        return "One run has no error bar: --seeds 2 or more say whether it differs from theory."
    corrected = holm([one.p_value for one in tested.values()])
    outside = [key for key, p in zip(tested, corrected, strict=True) if p <= LEVEL]
    if not outside:
        return "Within their errors, the runs agree with the theory at their own teachers."
    parts = ", ".join(
        f"{key} by {one.difference:+.2%} ± {one.standard_error:.2%} ({one.coefficient:+.2g}/d)"
        for key in outside
        if (one := tested[key])
    )
    return (
        f"More than chance away from theory, which is for infinite d: {parts}. If that is a "
        f"correction of 1/d, it is half as large at d = {2 * d}; attlas verify extrapolates it."
    )
