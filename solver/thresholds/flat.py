"""Thresholds asked for by flat parameters, as the command line has them."""

from __future__ import annotations

from collections.abc import Mapping

from attlas.model import BadInput, problem_from
from attlas.model.estimators import estimator_from
from attlas.model.exact import Number
from attlas.model.targets import target_from
from attlas.solver.thresholds import ThresholdResult, threshold

#: Parameters that a threshold in alpha depends on.
_TAKEN = ("kappa0", "noise", "tokens", "target")


def threshold_from(
    name: str, given: Mapping[str, str], *, digits: Number = 15, certify: bool = False
) -> ThresholdResult:
    """The threshold of a problem given by flat parameters.

    Parameters
    ----------
    name : str
        As for :func:`attlas.solver.thresholds.threshold`.
    given : mapping
        Flat parameters that were given. A threshold in alpha takes kappa0 (or a Wishart target),
        noise and tokens, or an untied training; "collapse" takes a whole problem except lam, which
        it answers, and "weak-recovery" one of a spiked target except alpha.
    digits, certify
        As for :func:`attlas.solver.thresholds.threshold`.

    Raises
    ------
    BadInput
        For a parameter that the threshold does not depend on, besides those of ``threshold``.
    """
    if name == "collapse":
        if "lam" in given:
            raise BadInput("lam", given["lam"], "is what this threshold answers", "leave it out")
        # The largest useful penalty does not depend on the penalty: any value completes it.
        return threshold(name, problem=problem_from(**{**given, "lam": "1"}), digits=digits)
    if name == "weak-recovery":
        if "alpha" in given:
            raise BadInput(
                "alpha", given["alpha"], "is what this threshold answers", "leave it out"
            )
        whole = problem_from(**{**given, "alpha": "1"})
        return threshold(name, problem=whole, digits=digits, certify=certify)
    training = given.get("training")
    if training is not None and not estimator_from(training, fill=1).scores(3).symmetric:
        whole = problem_from(**{"alpha": "1", "lam": "1", **given})
        return threshold(name, problem=whole, digits=digits, certify=certify)
    for key, value in given.items():
        if key not in _TAKEN:
            raise BadInput(key, value, f"has no meaning for the threshold {name}", "leave it out")
    return threshold(
        name,
        kappa0=given.get("kappa0"),
        noise=given.get("noise", 0),
        tokens=given.get("tokens", 2),
        target=target_from(given["target"]) if ":" in given.get("target", "") else None,
        digits=digits,
        certify=certify,
    )
