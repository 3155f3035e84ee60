"""Columns of ``scaling --study``. ``NAME +-`` is the standard error of ``NAME`` in each."""

from __future__ import annotations

from attlas.model.result_key import ResultKey
from attlas.symbolic.result_keys.key import result_key

_PAGE = "docs/power-laws.md"


def _key(key: str, meaning: str, domain: str = "real") -> ResultKey:
    return result_key(key, ("scaling",), meaning, domain, _PAGE)


_HEADS = (
    _key("along", "heads: what the slope is measured in, n or lam", "text"),
    _key("ends", "heads: the two values between which the slope is measured", "text"),
    _key("formula", "heads, lasso: exponent of the phase's formula deep inside it"),
    _key("theory slope", "heads: slope of the state evolution at the same d and n"),
    _key("heads slope", "heads: slope of trained heads"),
    _key("slope +-", "heads: standard error of heads slope", "0 or more"),
    _key("heads/theory", "heads: squared error of trained heads over theory, at the last end"),
    _key(
        "regime",
        "heads: reached where the theory has the formula's slope within 5 %, else what is in the "
        "way",
        "text",
    ),
)
_DEPARTURES = (
    _key("point", "departures: point of the claim sequential-recovery", "text"),
    _key("quantity", "departures: result key that is compared", "text"),
    _key("seeds a size", "departures: trained heads at each dimension", "2 or more"),
    _key(
        "deviation",
        "departures: relative deviation of heads from the theory at their own eigenvalues, "
        "extrapolated in 1/d",
    ),
    _key("+-", "departures: standard error of deviation", "0 or more"),
    _key("band low", "departures: lower end of the band to declare; null where none is due"),
    _key("band high", "departures: upper end of the band to declare; null where none is due"),
    _key("pilot", "departures: deviation of the pilot that was committed"),
    _key("declared low", "departures: lower end of the declared band"),
    _key("declared high", "departures: upper end of the declared band"),
)
_PRUNING = (
    _key("best", "pruning: the least squared error along lam", "greater than 0"),
    _key("best lam/lam_c", "pruning: where it is, in units of lam_c", "greater than 0"),
    *(
        _key(f"cost {factor} lam_c", f"pruning: squared error at {factor} lam_c over best", "1 up")
        for factor in ("0.25", "0.5", "1", "2", "4")
    ),
    _key("small lam", "pruning: squared error at lam_c/100 over best", "1 or more"),
    _key("pruned", "pruning: the map of small lam cut at the bulk's edge, over best", "above 0"),
    _key("heads lam_c", "pruning: trained heads at lam_c, over best in theory", "above 0"),
    _key("heads pruned", "pruning: heads of small lam, pruned, over best in theory", "above 0"),
)
_TAIL = (
    _key("expected", "tail: exponent of the target's own law, 1 + 1/gamma", "greater than 1"),
    _key("theory", "tail: exponent fitted to draws of the predicted law", "greater than 1"),
    _key("theory count", "tail: outliers beyond cut in a draw", "0 or more"),
    _key("theory + eps", "tail: as theory, of the eigenvalues plus epsilon", "greater than 1"),
    _key("heads count", "tail: outliers beyond cut in a trained head", "0 or more"),
    _key("heads + eps", "tail: as heads, of the eigenvalues plus epsilon", "greater than 1"),
    _key("cut", "tail: learned eigenvalues below it are left out; there the target has 2 delta"),
)
_LASSO = (
    _key("matrix slope", "lasso: local exponent of the matrix problem in n"),
    _key("matrix +-", "lasso: error bar of matrix slope", "0 or more"),
    _key("LASSO slope", "lasso: local exponent of LASSO in n, coefficients i^-gamma"),
    _key("LASSO d", "lasso: its number of coefficients", "1 or more"),
    _key("LASSO n", "lasso: its number of samples", "greater than 0"),
    _key("simulated/theory", "lasso: squared error of LASSO estimates over their theory"),
    _key("simulated +-", "lasso: standard error of simulated/theory", "0 or more"),
)
_TIME = (
    _key("training", "time: gradient descent or adam, from a small start", "text"),
    _key("n of emergence", "time: the n at which the mode emerges in theory", "greater than 0"),
    _key("step", "time: step at which v_i^T S v_i reaches half of its last value", "1 or more"),
    _key("step of the flow", "time: the same in the population flow", "greater than 0"),
    _key(
        "s_i step/(s_1 step_1)",
        "time: eigenvalue times step, over that of mode 1; 1 for growth at rate s_i",
        "greater than 0",
    ),
    _key(
        "order in time and n (tau)",
        "time: Kendall's tau of the order in time with the order in n",
        "-1 to 1",
    ),
)

KEYS = (*_HEADS, *_DEPARTURES, *_PRUNING, *_TAIL, *_LASSO, *_TIME)
