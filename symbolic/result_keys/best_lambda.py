"""Keys of ``best-lambda``."""

from __future__ import annotations

from attlas.symbolic.definition import Definition
from attlas.symbolic.result_keys.key import ResultKey, theory

_VERBS = ("best-lambda",)
_AT = "e(λ) the test error on noisy labels"


def _key(
    key: str, meaning: str, domain: str, text: str, latex: str, section: str = "11"
) -> ResultKey:
    return ResultKey(key, _VERBS, meaning, domain, theory(section), Definition(text, latex))


KEYS = (
    _key(
        "lam",
        "the penalty of least test error, everything else the same; 0 is the limit lam -> 0+",
        "0 or greater",
        f"λ* = argmin_λ e(λ), {_AT}",
        r"\lambda_* = \operatorname{argmin}_\lambda e_{\mathrm{test}}(\lambda)",
    ),
    _key(
        "test_error",
        "test error (noisy labels) at the best penalty",
        "0 or more",
        f"e(λ*), {_AT}, λ* = lam",
        r"e_{\mathrm{test}}(\lambda_*)",
    ),
    _key(
        "test_error_half",
        "test error at half the best penalty; absent where that is lam -> 0+",
        "at least test_error",
        f"e(λ*/2), {_AT}, λ* = lam",
        r"e_{\mathrm{test}}(\lambda_*/2)",
    ),
    _key(
        "test_error_double",
        "test error at twice the best penalty; absent where that is lam -> 0+",
        "at least test_error",
        f"e(2λ*), {_AT}, λ* = lam",
        r"e_{\mathrm{test}}(2\lambda_*)",
    ),
    _key(
        "loss_within_factor_2",
        "what it costs to miss the best penalty by a factor of 2: largest relative increase of the "
        "test error within it (no training loss)",
        "0 or more",
        "max(e(λ*/2), e(2λ*))/e(λ*) − 1, λ* = lam",
        r"\frac{\max(e_{\mathrm{test}}(\lambda_*/2),\,e_{\mathrm{test}}(2\lambda_*))}"
        r"{e_{\mathrm{test}}(\lambda_*)}-1",
    ),
    _key(
        "bayes_test_error",
        "the floor: test error of the posterior mean, which no estimator can beat",
        "0 or more, at most test_error",
        "T E|y − E[y | data]|², y one row of a label; for T = 1, E(y − E[y | data])²",
        r"T\,\mathbb{E}\,|y-\mathbb{E}[y\mid\text{data}]|^2",
        "12",
    ),
    _key(
        "efficiency",
        "how close the best penalty comes to the floor: bayes_test_error/test_error",
        "between 0 and 1",
        "bayes_test_error/test_error",
        r"e_{\mathrm{Bayes}}/e_{\mathrm{test}}(\lambda_*)",
        "12",
    ),
)
