"""First light: the learning curve of a trained attention head."""

from __future__ import annotations

from attlas.model import Problem, problem_from
from attlas.verify.claims.claim import Claim, Design, LeftOut, Point, Quantity, Statement
from attlas.verify.claims.controls import CONTROLS
from attlas.verify.claims.quantities import LOSS, OVERLAP, SELF_OVERLAP


def _softmax(alpha: str, lam: str, noise: str) -> Problem:
    return problem_from(alpha=alpha, lam=lam, kappa0="0.5", noise=noise, tokens=2)


def _linear(alpha: str, lam: str, noise: str) -> Problem:
    return problem_from(alpha=alpha, lam=lam, kappa0="0.5", noise=noise, tokens=1)


_POINTS = (
    Point("softmax, little data", _softmax("0.2", "0.01", "0")),
    Point("softmax, more data", _softmax("0.5", "0.01", "0")),
    Point("softmax, noisy labels", _softmax("0.5", "0.05", "0.5")),
    Point("linear", _linear("0.5", "0.05", "0")),
    Point("linear, noisy labels", _linear("0.5", "0.05", "0.5")),
    Point("softmax, much data", _softmax("1", "0.01", "0")),
    Point("softmax, noisy labels, much data", _softmax("1", "0.05", "0.5")),
    Point("linear, noisy labels, little data", _linear("0.3", "0.05", "0.5")),
)

_LITTLE, _MORE, _, _LINEAR, _NOISY, _MUCH = (point.key for point in _POINTS[:6])
_QUICK = (_LITTLE, _MORE, _LINEAR, _NOISY, _MUCH)
_ALL = tuple(point.key for point in _POINTS)

_IDENTITY = LeftOut(
    "For one token the test error is an identity in q and m, and says nothing that they do not.",
    ("test_error",),
    tuple(point.key for point in _POINTS if "linear" in point.key),
)

LEARNING_CURVE = Claim(
    id="learning-curve",
    title="Errors and overlaps of a trained head",
    statement=(
        "An attention head trained to the minimum of its loss has, in high dimension, exactly the "
        "loss, training error, test error and overlaps that six scalar equations predict: no "
        "fitted parameter, for softmax and for linear scores."
    ),
    equation="state-evolution",
    covers=Statement("3, 6", "Loss, errors and overlaps of a trained head."),
    measurement=(
        "W is trained from a random start by Adam and then L-BFGS in double precision until the "
        "gradient vanishes to its certificate. Each run is compared with the theory at its own "
        "teacher's eigenvalues, and the relative deviation is extrapolated to infinite dimension "
        "by a straight line in 1/d, with an error bar from seeds alone."
    ),
    points=_POINTS,
    quantities=(
        LOSS,
        Quantity(
            "train_error",
            "training error",
            r"e_{\mathrm{train}}",
            "mean squared misfit of a training sample, summed over outputs",
        ),
        Quantity(
            "test_error",
            "test error",
            r"e_{\mathrm{test}}",
            "the same on fresh samples with noisy labels",
            cap=0.05,
        ),
        SELF_OVERLAP,
        OVERLAP,
    ),
    controls=CONTROLS,
    designs={
        "quick": Design(
            _QUICK,
            {20: 12, 36: 6, 64: 5},
            control_seeds=3,
            runs_at={_LITTLE: {20: 20, 36: 6, 64: 8}, _MUCH: {16: 10, 24: 6, 40: 6}},
            left_out=(_IDENTITY,),
        ),
        "standard": Design(
            _ALL[:-1],
            {20: 60, 32: 40, 48: 30, 72: 12},
            left_out=(
                _IDENTITY,
                LeftOut(
                    "Few and noisy data scatter runs most, over d by 64 to 550 times the margins: "
                    "the full suite asks.",
                    points=_ALL[-1:],
                ),
            ),
        ),
        "full": Design(
            _ALL, {40: 200, 64: 150, 96: 100, 160: 60}, control_seeds=8, left_out=(_IDENTITY,)
        ),
    },
    curve_alphas=("0.1", "0.15", "0.2", "0.25", "0.3", "0.4", "0.5", "0.7", "1", "1.2"),
)
