"""Keys of ``spectrum`` and, where heads are trained beside theory, of ``decompose``."""

from __future__ import annotations

from attlas.symbolic.definition import Definition
from attlas.symbolic.result_keys.key import ResultKey, theory

_LEARNED = "x̂ = η max(x − ε, 0), x an eigenvalue of S₀ + δZ"


def _key(
    key: str,
    meaning: str,
    domain: str,
    definition: Definition | None = None,
    section: str = "6",
    verbs: tuple[str, ...] = ("spectrum",),
) -> ResultKey:
    return ResultKey(key, verbs, meaning, domain, theory(section), definition)


_PREDICTED = (
    _key(
        "mass_at_zero",
        "share of the learned map's eigenvalues that are zero; of a file's weights, of the d "
        "singular values",
        "between 0 and 1",
        Definition("F(ε) = 1 − rank_fraction", r"F(\epsilon) = \mu_\delta((-\infty,\epsilon])"),
    ),
    _key(
        "bands",
        "intervals that hold the non-zero learned eigenvalues, increasing; with several alpha or "
        "lam, their number",
        "list of {lower, upper, mass}; or a whole number",
        Definition(f"support of x̂ > 0, {_LEARNED}", r"\mathrm{supp}\,\eta(x-\epsilon)_+"),
        "9",
    ),
    _key("lower", "lower end of a band or gap of learned eigenvalues", "0 or more", section="9"),
    _key("upper", "upper end of a band or gap of learned eigenvalues", "above lower", section="9"),
    _key(
        "mass",
        "share of all d eigenvalues that lie in the band; 0 in a gap",
        "between 0 and 1",
        Definition(
            "∫ μ_δ(dx) over the band, taken back to x = x̂/η + ε",
            r"\int_{\mathrm{lower}/\eta+\epsilon}^{\mathrm{upper}/\eta+\epsilon}\mu_\delta(dx)",
        ),
    ),
    _key(
        "gaps",
        "empty intervals between the bands, and between zero and the first",
        "list of {lower, upper, mass}",
        section="9",
    ),
    _key(
        "outliers",
        "few learned eigenvalues apart from the bulk, largest first; with several alpha or lam, "
        "their number; of a file's weights, singular values beyond edge",
        "list of {location, overlap, multiplicity, target}; or a whole number; or numbers",
        section="9",
    ),
    _key(
        "location",
        "the learned eigenvalue of an outlier",
        "greater than 0",
        Definition(
            "η (ϑ + δ² G₀(ϑ) − ε), ϑ the target's eigenvalue, G₀ the transform of the background",
            r"\eta(\vartheta+\delta^2G_0(\vartheta)-\epsilon)",
        ),
        "9",
    ),
    _key(
        "overlap",
        "squared overlap of the target's direction with the outlier's",
        "between 0 and 1",
        Definition(
            "1 + δ² G₀′(ϑ), ϑ the target's eigenvalue, G₀ the transform of the background",
            r"1+\delta^2G_0'(\vartheta)",
        ),
        "9",
    ),
    _key(
        "multiplicity",
        "eigenvalues that an outlier stands for, because they are too close to be told apart",
        "whole number, 1 or more",
        section="9",
    ),
    _key(
        "target",
        "eigenvalue of the target (a spike) that an outlier belongs to, or that leaves none",
        "greater than 0",
        section="9",
    ),
    _key(
        "undetected",
        "spikes of the target that leave no outlier in the learned map",
        "list of {target, needs, reason}",
        section="9",
    ),
    _key(
        "needs",
        "value that an undetected spike would have to exceed, everything else the same",
        "greater than target",
        section="9",
    ),
    _key("reason", "why the spike leaves no outlier", "text", section="9"),
    _key(
        "density",
        "density of the learned eigenvalues in the bands, on a grid that is fine at the edges",
        "{x, rho}, two lists",
        Definition("ρ(x̂) = μ_δ(x̂/η + ε)/η", r"\mu_\delta(x/\eta+\epsilon)/\eta"),
    ),
    _key("x", "grid of learned eigenvalues at which rho is given", "greater than 0"),
    _key(
        "rho",
        "density at x; integrates over x to the mass of the bands",
        "0 or more",
        Definition("ρ(x̂) = μ_δ(x̂/η + ε)/η", r"\mu_\delta(x/\eta+\epsilon)/\eta"),
    ),
    _key(
        "singular_values",
        "the same law for the singular values of the factor W/sqrt(d); of a file's weights, those "
        "of the head's map that are not zero by its width",
        "{mass_at_zero, bands, outliers, density}; or numbers, descending",
        Definition("√(x̂ √κ), x̂ a learned eigenvalue", r"\sqrt{\hat x\sqrt\kappa}"),
        "1",
    ),
    _key(
        "bulk_edge",
        "where the lowest of several bands of S0 + delta Z ends in the learned spectrum, 0 where "
        "all of it is set to zero; beyond are directions of the target",
        "0 or more; absent where there is one band",
        Definition("η max(upper edge of the lowest band − ε, 0)", r"\eta\,(x_1-\epsilon)_+"),
        "9",
    ),
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
    _key(
        "d", "token dimension of the trained heads, or of a file's weights", "1 or more", None, "1"
    ),
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
    _key(
        "p",
        "chance of a mean as far out, for draws of the law; of a file's weights, the width of a "
        "head",
        "between 0 and 1; or a whole number",
        Definition(
            "2 (1 + min(draws below, draws above))/(draws + 1)",
            r"2\,\frac{1+\min(\#\text{below},\#\text{above})}{1+\#\text{draws}}",
        ),
        "16",
    ),
)

KEYS = (*_PREDICTED, *_TRAINED)
