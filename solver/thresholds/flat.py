"""Thresholds asked for by flat parameters, as the command line has them."""

from __future__ import annotations

from collections.abc import Mapping

from attlas.model.errors import BadInput, unknown_name
from attlas.model.exact import Number
from attlas.model.parameters import completed
from attlas.solver.thresholds import THRESHOLDS, ThresholdResult, threshold

#: What a threshold of a whole problem says, or is the limit of.
_ANSWERS = {
    "collapse": ("lam",),
    "weak-recovery": ("alpha", "n"),
    "separability": ("alpha", "n", "lam"),
}
#: Parameters that a threshold in alpha depends on.
_TAKEN = ("kappa0", "noise", "tokens", "keys", "channel", "target", "training")


def threshold_from(
    name: str, given: Mapping[str, str], *, digits: Number = 15, certify: bool = False
) -> ThresholdResult:
    """The threshold of a problem given by flat parameters.

    Parameters
    ----------
    name : str
        As for :func:`attlas.solver.thresholds.threshold`.
    given : mapping
        Flat parameters that were given. A threshold in alpha takes a target, channel and training;
        "collapse" takes a whole problem except lam, which it answers, and "weak-recovery" one of a
        spiked target except alpha; "separability" one without both, as its lam is 0+.
    digits, certify
        As for :func:`attlas.solver.thresholds.threshold`.

    Raises
    ------
    BadInput
        For a parameter that the threshold does not depend on, besides those of ``threshold``.
    """
    if name not in THRESHOLDS:
        raise unknown_name("threshold", name, THRESHOLDS)
    answered = _ANSWERS.get(name, ())
    for key, value in given.items():
        if key in answered:
            raise BadInput(
                key, value, "is what this threshold answers, or its limit", "leave it out"
            )
        if not answered and key not in _TAKEN:
            raise BadInput(key, value, f"has no meaning for the threshold {name}", "leave it out")
    if name == "collapse" and not given.keys() & {"alpha", "n"}:
        raise BadInput("alpha", None, "the threshold collapse is about a whole problem")
    problem = completed(given, fill=None if name == "weak-recovery" else 1)
    return threshold(name, problem=problem, digits=digits, certify=certify)
