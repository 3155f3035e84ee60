"""Factorised against direct training, each at its own best penalty."""

from __future__ import annotations

from attlas.verify.claims.claim import Claim, Control, Design, Point, Quantity, Statement
from attlas.verify.claims.points.best_penalties import problem_at

_POINTS = (
    Point("low rank", problem_at("0.1", "0.3")),
    Point("half rank, little data", problem_at("0.5", "0.1")),
    Point("full rank", problem_at("1", "0.3")),
)
_KEYS = tuple(point.key for point in _POINTS)

BEST_PENALTIES = Claim(
    id="factorised-against-direct",
    title="Factorised against direct training, each at its best penalty",
    statement=(
        "Where each training has the penalty that is best for it, factorised training has the "
        "least test error for a teacher of low rank, and direct training of a positive map for "
        "one of high rank, or of half rank with little data; by as much as the theory says."
    ),
    equation="direct",
    covers=Statement(
        "11", "Where factorised training beats direct training, each at its best penalty."
    ),
    measurement=(
        "The same sequences and labels are trained in three ways, each at its own best penalty in "
        "theory: factorised, direct and positive, direct. Test errors and their ratios are "
        "compared with the theories at the teacher's own eigenvalues, and the deviation is "
        "extrapolated in 1/d. In a ratio most of what one data set has by chance cancels."
    ),
    points=_POINTS,
    quantities=(
        Quantity(
            "test_error",
            "test error, factorised",
            r"e_{\mathrm{test}}",
            "on fresh samples with noisy labels",
            cap=0.05,
        ),
        Quantity(
            "test_error_psd",
            "test error, direct and positive",
            r"e^{+}_{\mathrm{test}}",
            "the same after direct training of S ⪰ 0",
            cap=0.05,
        ),
        Quantity(
            "test_error_direct",
            "test error, direct",
            r"e^{\mathrm{d}}_{\mathrm{test}}",
            "the same after direct training of a symmetric S",
            cap=0.05,
        ),
        Quantity(
            "ratio_psd",
            "direct and positive over factorised",
            r"e^{+}/e",
            "ratio of the two test errors of one data set",
            cap=0.05,
        ),
        Quantity(
            "ratio_direct",
            "direct over factorised",
            r"e^{\mathrm{d}}/e",
            "ratio of the two test errors of one data set",
            cap=0.05,
        ),
    ),
    controls=(
        Control(
            "roles-exchanged",
            "The errors of factorised training and of direct training of a positive map are "
            "exchanged.",
        ),
        Control(
            "positivity-dropped",
            "Direct training of a positive map has the error of a symmetric one.",
        ),
    ),
    designs={
        "standard": Design(_KEYS, {28: 6, 48: 6, 88: 8}, control_seeds=3),
        "full": Design(_KEYS, {32: 160, 56: 100, 96: 60, 160: 24}),
    },
    experiment="attlas.verify.experiments.best_penalties:BEST_PENALTIES",
)
