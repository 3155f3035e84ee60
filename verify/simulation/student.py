"""An estimator at finite dimension: the width it trains, and the theory that belongs to it."""

from __future__ import annotations

from fractions import Fraction
from functools import singledispatch

from attlas.model import Direct, DirectPSD, Estimator, Factorised, WidthLimited
from attlas.model.errors import BadInput
from attlas.model.exact import Number


@singledispatch
def width_of(estimator: Estimator, d: int) -> int:  # noqa: ARG001
    """p, the columns of the student's factor at dimension d; d for a map without factors.

    Raises
    ------
    BadInput
        If the estimator trains nothing that can be simulated.
    """
    raise BadInput("training", estimator.name, "cannot be simulated; only trained students are", "")


@width_of.register(Factorised)
@width_of.register(WidthLimited)
def _(estimator: Factorised | WidthLimited, d: int) -> int:
    p = round(estimator.kappa * d)
    if p < 1:
        raise BadInput("kappa", float(estimator.kappa), f"must give a width of 1 at d = {d}")
    return p


@width_of.register(Direct)
@width_of.register(DirectPSD)
def _(estimator: Direct | DirectPSD, d: int) -> int:  # noqa: ARG001
    return d


@singledispatch
def at_width(estimator: Estimator, ratio: Fraction, lam: Number | None) -> Estimator:  # noqa: ARG001
    """The same estimator at the exact ratio p/d of a run, with penalty ``lam`` if it is given."""
    raise TypeError(f"no width belongs to {type(estimator).__name__}")


@at_width.register(Factorised)
@at_width.register(WidthLimited)
def _(estimator: Factorised | WidthLimited, ratio: Fraction, lam: Number | None) -> Estimator:
    return type(estimator)(lam=estimator.lam if lam is None else lam, kappa=ratio)


@at_width.register(Direct)
@at_width.register(DirectPSD)
def _(estimator: Direct | DirectPSD, ratio: Fraction, lam: Number | None) -> Estimator:  # noqa: ARG001
    return estimator if lam is None else type(estimator)(lam=lam)
