"""Keys of ``spectrum --weights``: one head of a trained model, M = W_Q W_K^T/sqrt(p)."""

from __future__ import annotations

from attlas.symbolic.definition import Definition
from attlas.symbolic.result_keys.key import ResultKey

_PAGE = "docs/real-weights.md"


def _key(key: str, meaning: str, domain: str, text: str = "", latex: str = "") -> ResultKey:
    found = Definition(text, latex) if text else None
    return ResultKey(key, ("spectrum",), meaning, domain, _PAGE, found)


KEYS = (
    _key("source", "the file that was read", "text"),
    _key("heads", "one entry for each head of each layer", "list"),
    _key("verdict", "always no-theory: the law is shown beside the weights, not fitted", "text"),
    _key("layer", "name of the weights in the file", "text"),
    _key("head", "number of the head in its layer", "0 or more"),
    _key("rank", "singular values of the head's map that are not rounding", "1 to p"),
    _key(
        "reference",
        "mean singular values of the same head with the entries of W_Q, and of W_K, shuffled",
        "numbers, descending",
    ),
    _key("edge", "the largest singular value over all shuffles", "greater than 0"),
    _key(
        "stable_rank",
        "energy in units of the largest singular value: directions that carry it",
        "1 to p",
        "‖M‖²_F/‖M‖², M = W_Q W_Kᵀ/√p",
        r"\|M\|_F^2/\|M\|^2",
    ),
    _key(
        "reference_stable_rank",
        "mean stable rank of the shuffles",
        "1 to p",
        "mean of ‖M‖²_F/‖M‖² over shuffles",
        r"\langle\|M\|_F^2/\|M\|^2\rangle",
    ),
    _key(
        "symmetric",
        "share of the energy in the symmetric part; 1 for a tied head",
        "between 0 and 1",
        "‖(M + Mᵀ)/2‖²_F/‖M‖²_F",
        r"\|(M+M^\top)/2\|_F^2/\|M\|_F^2",
    ),
    _key(
        "antisymmetric",
        "share of the energy in the antisymmetric part",
        "between 0 and 1",
        "‖(M − Mᵀ)/2‖²_F/‖M‖²_F",
        r"\|(M-M^\top)/2\|_F^2/\|M\|_F^2",
    ),
    _key(
        "positive",
        "share of the symmetric part's energy in its positive eigenvalues; 1 for a tied head",
        "between 0 and 1",
        "Σ_{e_i > 0} e_i²/Σ e_i², e_i the eigenvalues of (M + Mᵀ)/2",
        r"\sum_{e_i>0}e_i^2/\sum e_i^2",
    ),
    _key(
        "tail",
        "power law fitted to the outliers; null with fewer than 8",
        "{exponent, error, cut, count} or null",
    ),
    _key(
        "exponent",
        "exponent of the density of the outliers; values c i^-gamma have 1 + 1/gamma",
        "greater than 1",
        "a in ρ(x) ∝ x^−a",
        r"\rho(x)\propto x^{-a}",
    ),
    _key("cut", "values at most this are left out of the fit", "greater than 0"),
    _key("count", "values that are fitted", "8 or more"),
)
