"""Keys of ``spectrum`` and, where heads are trained beside theory, of ``decompose``."""

from __future__ import annotations

from attlas.model.result_key import Definition, ResultKey
from attlas.symbolic.result_keys.key import result_key, theory

_LEARNED = "x̂ = η max(x − ε, 0), x an eigenvalue of S₀ + δZ"


def _key(
    key: str,
    meaning: str,
    domain: str,
    definition: Definition | None = None,
    section: str = "6",
    verbs: tuple[str, ...] = ("spectrum",),
) -> ResultKey:
    return result_key(key, verbs, meaning, domain, theory(section), definition)


_PREDICTED = (
    _key(
        "recovered",
        "share of the target's directions that lie beyond the lowest band of the spectrum",
        "between 0 and 1",
        Definition("mass of the bands above bulk_edge/min(κ₀, 1)", r"\mu(x>x_1)/\min(\kappa_0,1)"),
        "9",
    ),
    _key(
        "collapse_lam",
        "the penalty beyond which the learned map is zero",
        "greater than 0",
        Definition(
            "λ̃_max/√κ, λ̃_max = m̂₀ x_top(δ₀)/2 with the hats at Σ = q = m = 0",
            r"\hat m_0\,x_{\mathrm{top}}(\delta_0)/(2\sqrt\kappa)",
        ),
        "9",
    ),
)

_HEADS = ("spectrum", "decompose")
_TRAINED = (
    _key("rows", "one entry for each alpha or lam", "list", verbs=_HEADS),
    _key(
        "measured",
        "means over trained heads, by key, beside their paired theory; empty without --simulate",
        "{key: {value, error, paired}}",
        section="16",
        verbs=_HEADS,
    ),
    _key("value", "mean over the trained heads", "real", section="16", verbs=_HEADS),
    _key(
        "error",
        "standard error of value over the heads, nan for one; beside a row's keys, the absolute "
        "error bars of the theory",
        "0 or more",
        section="16",
        verbs=_HEADS,
    ),
    _key(
        "paired",
        "mean of the theory at each head's own teacher, n/d^2 and width",
        "real",
        section="16",
        verbs=_HEADS,
    ),
    _key("simulation", "trained heads and their comparison with the law", "{d, runs, comparison}"),
    _key("status", "how the training of the heads ended", "text", section="10"),
    _key(
        "runs",
        "the trained heads; within comparison, the mean of the statistic over them",
        "list; or a number",
        section="10",
    ),
    _key("seed", "fixes teacher, training data and test set of the run", "0 or more", None, "1"),
    _key("eigenvalues", "of the learned map, descending", "numbers"),
    _key("teacher_eigenvalues", "of the run's own teacher, descending", "numbers", section="1"),
    _key("converged", "whether the run met its gradient certificate", "true or false", None, "10"),
    _key(
        "data_hash", "SHA-256 of teacher, tokens and noise of the training set", "text", None, "1"
    ),
    _key(
        "comparison",
        "statistics of the heads beside draws of the predicted law at the same d",
        "list of {statistic, runs, predicted, spread, p}",
        section="16",
    ),
    _key("statistic", "which statistic of a spectrum is compared", "text", section="16"),
    _key("predicted", "mean of the statistic over draws of the law", "real", section="16"),
    _key(
        "spread",
        "standard deviation, over draws of the law, of the mean over as many heads",
        "0 or more",
        section="16",
    ),
)

KEYS = (*_PREDICTED, *_TRAINED)
