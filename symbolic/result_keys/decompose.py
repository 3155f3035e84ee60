"""Keys of ``decompose``: the parts of the error, and how the test error is made of them.

x is an eigenvalue of S0 + delta Z, s that of the target beside it, and x^ = eta max(x - epsilon, 0)
the learned one; means are over their joint law (theory.md section 13).
"""

from __future__ import annotations

from attlas.symbolic.definition import Definition
from attlas.symbolic.result_keys.key import ResultKey, theory

_WHERE = "s the target's eigenvalue and x̂ the learned one beside it"
_BANDS = "x in the lowest band of S₀ + δZ"


def _key(
    key: str, meaning: str, domain: str, text: str, latex: str, verbs: tuple[str, ...] = ()
) -> ResultKey:
    found = Definition(text, latex)
    return ResultKey(key, ("decompose", *verbs), meaning, domain, theory("13"), found)


KEYS = (
    _key(
        "over",
        "overfitting: energy learned in directions the target does not have; zero for targets "
        "without such directions, see bulk_over",
        "0 or more",
        f"E[x̂²; s = 0], {_WHERE}",
        r"\mathbb{E}[\hat x^2;\ s=0]",
    ),
    _key(
        "under",
        "underfitting: energy of the target directions that are not recovered",
        "0 or more",
        f"E[η*²s²; s ≠ 0, x̂ = 0], {_WHERE}, η* = eta_star",
        r"\mathbb{E}[\eta_*^2s^2;\ s\ne0,\ \hat x=0]",
    ),
    _key(
        "approx",
        "approximation: squared error that is left along what was recovered",
        "0 or more",
        f"E[(x̂ − η*s)²; s ≠ 0, x̂ > 0], {_WHERE}, η* = eta_star",
        r"\mathbb{E}[(\hat x-\eta_*s)^2;\ s\ne0,\ \hat x>0]",
    ),
    _key(
        "mismatch",
        "squared distance of the learned scale m/q0 from the scale of least test error",
        "0 or more",
        "(m/Q₀ − η*)², η* = eta_star",
        r"(m/Q_0-\eta_*)^2",
    ),
    _key(
        "error_scaled",
        "squared error of the learned map to the target at its best scale: over + under + approx",
        "0 or more",
        "‖S − η*S₀‖²_F/d = q − 2η*m + η*²Q₀ = over + under + approx",
        r"\|S-\eta_*S_0\|_F^2/d = q-2\eta_*m+\eta_*^2Q_0",
    ),
    _key(
        "e0",
        "least test error along maps proportional to the target: that of eta_star S0",
        "0 or more",
        "e₀ = e_test(q = η*²Q₀, m = η*Q₀), η* = eta_star",
        r"e_0 = e_{\mathrm{test}}(\eta_*^2Q_0,\ \eta_*Q_0)",
    ),
    _key(
        "eta_star",
        "scale c at which c S0 has the least test error; beta0/beta for clean labels",
        "greater than 0",
        "η* = argmin_c e_test(q = c²Q₀, m = cQ₀)",
        r"\eta_* = \operatorname{argmin}_c\,e_{\mathrm{test}}(c^2Q_0,\ cQ_0)",
    ),
    _key(
        "c1",
        "test error for each unit of error_scaled: slope of the test error in q at eta_star S0",
        "greater than 0",
        "c₁ = ∂e_test/∂q at (η*²Q₀, η*Q₀); "
        "test_error = e0 + c1 error_scaled + c2 mismatch + remainder",
        r"c_1 = \frac{\partial e_{\mathrm{test}}}{\partial q}(\eta_*^2Q_0,\ \eta_*Q_0)",
    ),
    _key(
        "c2",
        "test error for each unit of mismatch, beside what c1 counts already; may be negative",
        "real",
        "c₂ = ½ d²/dc² e_test(c²Q₀, cQ₀) at c = η*, less c₁Q₀; "
        "test_error = e0 + c1 error_scaled + c2 mismatch + remainder",
        r"c_2 = \tfrac12\frac{d^2}{dc^2}e_{\mathrm{test}}(c^2Q_0,\ cQ_0)\big|_{c=\eta_*}-c_1Q_0",
    ),
    _key(
        "remainder",
        "what the second-order expansion of the test error leaves out",
        "real",
        "remainder = test_error − e0 − c1 error_scaled − c2 mismatch",
        r"e_{\mathrm{test}}-e_0-c_1\|S-\eta_*S_0\|_F^2/d-c_2(m/Q_0-\eta_*)^2",
    ),
    _key(
        "bulk_over",
        "overfitting by bands, where the spectrum has several: energy learned in the lowest one",
        "0 or more",
        f"E[x̂²; {_BANDS}]",
        r"\mathbb{E}[\hat x^2;\ x\in\text{lowest band}]",
    ),
    _key(
        "bulk_under",
        "underfitting by bands: target energy in the lowest band or below the threshold",
        "0 or more",
        f"E[η*²s²; {_BANDS} or below ε], η* = eta_star",
        r"\mathbb{E}[\eta_*^2s^2;\ x\in\text{lowest band or }x<\epsilon]",
    ),
    _key(
        "bulk_cross",
        "cross term of bulk_over and bulk_under",
        "real",
        f"−2η* E[x̂ s; {_BANDS}], η* = eta_star",
        r"-2\eta_*\,\mathbb{E}[\hat xs;\ x\in\text{lowest band}]",
    ),
    _key(
        "band_approx",
        "approximation by bands: squared error in the bands above the lowest; bulk_over + "
        "bulk_under + bulk_cross + band_approx is error_scaled",
        "0 or more",
        "E[(x̂ − η*s)²; x above the lowest band], η* = eta_star",
        r"\mathbb{E}[(\hat x-\eta_*s)^2;\ x\text{ above the lowest band}]",
    ),
)
