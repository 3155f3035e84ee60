"""Keys of ``scaling``: the plane, the table of exponents, the modes and the routes."""

from __future__ import annotations

from attlas.model.result_key import Definition, ResultKey
from attlas.symbolic.result_keys.key import result_key, theory


def _key(key: str, meaning: str, domain: str, text: str = "", latex: str = "") -> ResultKey:
    found = Definition(text, latex) if text else None
    return result_key(key, ("scaling",), meaning, domain, theory("14"), found)


_PLANE = (
    _key("points", "one entry for each n and lam of the plane, or each n of the curve", "list"),
    _key(
        "n", "samples, a real number between grid points", "greater than 0", "α d²", r"\alpha d^2"
    ),
    _key("mse_error", "absolute error bar of mse", "0 or more"),
    _key(
        "phase",
        "phase of the learning curve in whose region the point lies, as theory.md lists them",
        "Ib, II, III, IV, V, peak, VIa, VIb or noiseless",
    ),
    _key(
        "exponent",
        "local exponent of the squared error in n, towards the next n of the grid; with --table "
        "at one point, at the peak in lam",
        "real",
        "d log mse/d log n",
        r"\frac{d\log\mathrm{mse}}{d\log n}",
    ),
    _key("exponent_error", "absolute error bar of exponent", "0 or more"),
    _key(
        "predicted_exponent",
        "exponent of the phase's formula; absent in phase Ib",
        "real",
        "d log R/d log n, R the phase's formula (attlas derive scaling)",
        r"\frac{d\log R}{d\log n}",
    ),
    _key(
        "ratio",
        "squared error of the numerical solution over that of the phase's formula",
        "greater than 0",
        "mse/R, R the phase's formula (attlas derive scaling)",
        r"\mathrm{mse}/R",
    ),
    _key("ratio_error", "absolute error bar of ratio", "0 or more"),
    _key("uprights", "boundaries of phases at one n, for lam << lam_c", "{name: n}"),
    _key(
        "dense",
        "the n at which phase IV goes over to V",
        "greater than 0",
        "d^(1 + 4γ/(14γ − 5))",
        r"d^{1+4\gamma/(14\gamma-5)}",
    ),
    _key("interpolation", "the n of the interpolation peak", "greater than 0", "d²/4", "d^2/4"),
    _key(
        "all_modes",
        "the n at which the last mode is recovered: phase VIa goes over to VIb",
        "greater than 0",
        "Δ d^(1 + 2γ)/4",
        r"\Delta d^{1+2\gamma}/4",
    ),
)

_TABLE = (
    _key("rows", "one entry for each phase and gamma, or the rows of a study", "list"),
    _key(
        "gamma",
        "exponent of the target's power law",
        "greater than 1/2",
        "eigenvalues √d i^−γ",
        r"s_i = \sqrt d\,i^{-\gamma}",
    ),
    _key("d", "dimension of a token: number of the target's eigenvalues", "1 or more"),
    _key(
        "follow",
        "power of n that lam follows while the exponent is measured",
        "real",
        "λ ∝ n^follow",
        r"\lambda\propto n^{\mathrm{follow}}",
    ),
    _key("correction", "the largest ratio that the formula takes to be small", "{name, size}"),
    _key(
        "name",
        "which ratio it is: K modes above the noise level, threshold ε, R the squared error, s_d "
        "the last eigenvalue",
        "text",
    ),
    _key("size", "value of that ratio; the formula holds where it is far below 1", "0 or more"),
    _key("margins", "relative margins that exponent and ratio must keep", "{exponent, ratio}"),
    _key(
        "verdict",
        "agrees, disagrees, undecided, or not reached where the correction exceeds the margin; of "
        "a study in time always no-theory",
        "text",
    ),
    _key(
        "rejected",
        "whether each wrong formula is off by more than margin and error bar; null where it does "
        "not have the parameter",
        "{name: true, false or null}",
    ),
    _key("gamma-shifted", "wrong formula: gamma larger by 1/4", "true, false or null"),
    _key("noise-halved", "wrong formula: half the noise", "true, false or null"),
)

_MODES = (
    _key(
        "modes",
        "directions of the target, followed one by one; with --compare-routes the number of "
        "eigenvalues above the noise level",
        "list; or a number",
    ),
    _key("mode", "number of the direction, largest eigenvalue first", "1 or more", "i", "i"),
    _key("strength", "its eigenvalue", "greater than 0", "s_i = √d i^−γ", r"\sqrt d\,i^{-\gamma}"),
    _key(
        "detaches",
        "the n at which a gap of the spectrum opens below the mode; null where there is none",
        "{value, error} or null",
        "δ(n) = s_i to leading order",
        r"\delta(n) = s_i",
    ),
    _key(
        "half",
        "the n of emergence: half of the direction is learned",
        "{value, error} or null",
        "captured(n) = 1/2",
        r"v_i^\top Pv_i = \tfrac12",
    ),
    _key(
        "sharpness",
        "slope of the captured share at emergence, in log n",
        "{value, error} or null",
        "d captured/d log n",
        r"\frac{d\,v_i^\top Pv_i}{d\log n}",
    ),
    _key("predicted_detaches", "detaches to leading order (attlas derive scaling)", "above 0"),
    _key("predicted_half", "half to leading order (attlas derive scaling)", "above 0"),
    _key("predicted_sharpness", "sharpness to leading order (attlas derive scaling)", "above 0"),
    _key("value", "a number of the numerical solution", "real"),
    _key("error", "its absolute error bar", "0 or more"),
    _key(
        "captured",
        "share of each direction that is learned",
        "numbers between 0 and 1",
        "v_iᵀ P v_i, P the projector on the range of S",
        r"v_i^\top Pv_i",
    ),
    _key("captured_error", "absolute error bar of captured", "0 or more"),
    _key("parts", "contribution of each mode to the squared error", "numbers"),
    _key("rest", "contribution of all other modes: parts and rest sum to mse", "0 or more"),
    _key("heads", "trained heads at some of the n; with --study, their mean", "list; or a number"),
)

_ROUTES = (
    _key("routes", "squared errors by every route, one entry for each n", "list"),
    _key("exact", "from every eigenvalue; null for d > 2000", "{value, error} or null"),
    _key("grouped", "from groups of neighbouring eigenvalues", "{value, error}"),
    _key(
        "first_order",
        "from a semicircle and the first-order response of each eigenvalue",
        "{value, error}",
    ),
    _key("differences", "of each route from the best", "{grouped, first_order}"),
    _key(
        "relative",
        "the difference, relative",
        "real",
        "mse(route)/mse(best) − 1",
        r"\mathrm{mse}_{\mathrm{route}}/\mathrm{mse}_{\mathrm{best}}-1",
    ),
)

KEYS = (*_PLANE, *_TABLE, *_MODES, *_ROUTES)
