"""The law of the trained map, from merged bulk to separate bands."""

from __future__ import annotations

from attlas.model import problem_from
from attlas.verify.claims.claim import Claim, Design, Point, Quantity, Statement
from attlas.verify.claims.controls.larger_parameters import DELTA_LARGER, EPSILON_LARGER


def _point(key: str, alpha: str) -> Point:
    return Point(key, problem_from(alpha=alpha, lam="0.05", kappa0="0.1", noise="0.5"))


_POINTS = (
    _point("one band", "0.1"),
    _point("the signal's band splits off", "0.15"),
    _point("two bands far apart", "0.4"),
    Point(
        "spikes",
        problem_from(
            alpha="0.3",
            lam="0.05",
            noise="0.5",
            target="spiked:spikes=9/7,background=wishart:kappa0=0.1",
        ),
    ),
)
_ALL = tuple(point.key for point in _POINTS)

SPECTRUM = Claim(
    id="spectrum",
    title="The spectrum of a trained head",
    statement=(
        "The eigenvalues of the trained map are, in high dimension, those of η ReLU(S₀ + δZ − ε) "
        "with Z symmetric Gaussian noise: its share of zeros, its bulk, the band of the target "
        "that splits off from the bulk as data grow, its outliers, and their overlaps with the "
        "target's directions."
    ),
    equation="state-evolution",
    covers=Statement("6, 9", "The spectrum of the trained map, its bands and outliers."),
    picture="spectra",
    measurement=(
        "Eigenvalues repel, so they are no independent samples and no test for such applies. Each "
        "trained spectrum (from singular values of W in double precision) is compared, statistic "
        "by statistic, with the mean over 200 random matrices from the predicted law at the same "
        "d and the same teacher, and the deviation is extrapolated in 1/d. The share of zeros is "
        "a statistic of its own. The Wasserstein-1 distance is that of the run from the mean "
        "quantiles of the law; what is compared is 1 + distance over mean eigenvalue, of the run "
        "and of a draw."
    ),
    points=_POINTS,
    quantities=(
        Quantity(
            "rank_fraction",
            "share of non-zero eigenvalues",
            r"1 - F(\epsilon)",
            "rank over d",
        ),
        Quantity("mean", "mean eigenvalue", r"\operatorname{Tr} S/d", "Tr S/d"),
        Quantity("top", "largest eigenvalue", r"\lambda_1", "upper edge, or largest outlier"),
        Quantity(
            "signal_edge",
            "last eigenvalue of the signal",
            r"\lambda_{p_0}",
            "smallest of as many eigenvalues as the target has",
        ),
        Quantity(
            "overlap_top",
            "overlap of the first direction",
            r"(u_1 \cdot v_1)^2",
            "squared overlap of the first eigenvectors of S₀ and S",
        ),
        Quantity(
            "overlap_signal",
            "share of the target's directions that is learned",
            r"\operatorname{Tr} P_0 P/p_0",
            "squared overlaps of the target's directions with as many learned ones",
        ),
        Quantity(
            "wasserstein",
            "distance of the quantiles",
            r"1 + W_1/\bar\lambda",
            "of the non-zero eigenvalues from the mean quantiles of the predicted law",
        ),
    ),
    controls=(EPSILON_LARGER, DELTA_LARGER),
    designs={
        "standard": Design(_ALL, {24: 64, 32: 64, 48: 48, 80: 18}, control_seeds=8),
        "full": Design(_ALL, {40: 200, 80: 100, 160: 40}, control_seeds=20),
    },
    experiment="attlas.verify.experiments.spectrum:SPECTRUM",
)
