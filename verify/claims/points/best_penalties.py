"""Trainings at their own best penalty."""

from __future__ import annotations

from attlas.model import Problem, problem_from

#: The penalty of least test error in theory, at noise 1/2 and two tokens, by (kappa0, alpha) and
#: training; to the accuracy to which the error is flat (a test recomputes them).
BEST: dict[tuple[str, str], dict[str, str]] = {
    ("0.1", "0.3"): {"factorised": "0.083", "direct-psd": "0.035", "direct": "0.061"},
    ("0.5", "0.1"): {"factorised": "0.023", "direct-psd": "0.0125", "direct": "0.055"},
    ("1", "0.3"): {"factorised": "0.021", "direct-psd": "0.018", "direct": "0.027"},
}
NOISE = "0.5"


def problem_at(kappa0: str, alpha: str, training: str = "factorised") -> Problem:
    """A training at its best penalty."""
    return problem_from(
        alpha=alpha,
        kappa0=kappa0,
        noise=NOISE,
        training=training,
        lam=BEST[kappa0, alpha][training],
    )
