# sympy's own annotations are narrower than what its functions return.
# pyright: reportArgumentType=false, reportAttributeAccessIssue=false, reportCallIssue=false
# pyright: reportOperatorIssue=false, reportReturnType=false, reportIndexIssue=false
"""Power-law targets: every phase of the learning curve, by dominant balance.

One token, factorised training, eigenvalues sqrt(d) i^-gamma. theory.md section 14.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import sympy as sp

from attlas.symbolic import notation as sym
from attlas.symbolic.derivation import Derivation, Step, exactly
from attlas.symbolic.functions import Asymptotically

gamma, d, n = (sp.Symbol(name, positive=True) for name in ("gamma", "d", "n"))
#: delta as a positive number, strength y = s/delta, threshold e = epsilon/delta.
_del, _y, _e, _u, _x = (sp.Symbol(name, positive=True) for name in ("delta", "y", "e", "u", "x"))
_lam, _noise = (sp.Symbol(name, positive=True) for name in ("lam", "noise"))
_ALPHA = n / d**2
_EXPONENT = 1 - 1 / (2 * gamma)

#: Contribution of an outlier to the squared error, in units of delta^2/d.
OUTLIER = _y**2 - 2 * (_y + 1 / _y - _e) * (_y - 1 / _y) + (_y + 1 / _y - _e) ** 2
#: Eigenvalues above a strength.
_ABOVE = (sp.sqrt(d) / _del) ** (1 / gamma)

C_GAMMA = 1 / (2 * gamma - 1) + 6 - 8 / (gamma + 1) + 3 / (2 * gamma + 1)
LAMBDA_C = 4 * sp.sqrt(_noise * _ALPHA)
DENSE = sp.Rational(4, 105) / sp.pi * (15 * sp.pi / 4) ** sp.Rational(7, 5)


@dataclass(frozen=True)
class Phase:
    """One power law of the squared error.

    Attributes
    ----------
    key, region : str
        Name in theory.md section 14, and where it holds.
    rate : sympy.Expr
        The squared error to leading order, in gamma, d, n, lam and noise.
    """

    key: str
    region: str
    rate: sp.Expr

    def exponent(self, variable: sp.Symbol = n) -> sp.Expr:
        """d log rate / d log n deep in the phase, or of another variable."""
        local = sp.simplify(variable * sp.diff(self.rate, variable) / self.rate)
        return sp.limit(local, n, sp.oo) if local.has(n) else local


PHASES: dict[str, Phase] = {
    phase.key: phase
    for phase in (
        Phase(
            "II",
            "lam >> lam_c, n << lam d^(gamma + 3/2)/4",
            2 * gamma / (2 * gamma - 1) * (_lam**2 * d**3 / (16 * n**2)) ** _EXPONENT,
        ),
        Phase("III", "lam >> lam_c, n >> lam d^(gamma + 3/2)/4", (_lam * d**2 / (4 * n)) ** 2),
        Phase(
            "IV",
            "d << n << d^(1 + 4 gamma/(14 gamma - 5)) for lam << lam_c; up to d^(1 + 2 gamma) "
            "at lam_c",
            C_GAMMA * (_noise * d / (4 * n)) ** _EXPONENT,
        ),
        Phase(
            "V",
            "d^(1 + 4 gamma/(14 gamma - 5)) << n << d^2, lam << lam_c",
            DENSE * _noise * _ALPHA ** sp.Rational(2, 5),
        ),
        Phase(
            "peak",
            "n = d^2/4, lam << lam_c",
            (3 * sp.pi * _noise**2 / (32 * _lam)) ** sp.Rational(2, 3) / 2,
        ),
        Phase("VIa", "d^2 << n << d^(1 + 2 gamma), lam << lam_c", _noise / (2 * (4 * _ALPHA - 1))),
        Phase("VIb", "n >> d^(1 + 2 gamma), lam << lam_c", _noise / (4 * _ALPHA)),
        Phase(
            "noiseless",
            "noise = 0, lam -> 0, d << n << d^2",
            (C_GAMMA * (d / (2 * n)) ** _EXPONENT) ** (2 * gamma),
        ),
    )
}

#: What the rates are functions of.
VARIABLES = (gamma, d, n, _lam, _noise)


def peak_variable(key: str) -> tuple[sp.Symbol, ...]:
    """The variable of a phase's exponent where it is not n: lam at the peak, whose n is fixed."""
    return (_lam,) if key == "peak" else ()


#: The power of d at which phase IV ends without a penalty.
DENSE_START = 1 + 4 * gamma / (14 * gamma - 5)
#: Boundaries of the plane: lam as a function of n, then the n of those that hold for lam << lam_c.
LAM_BOUNDARIES = {
    "lambda_c": LAMBDA_C,
    "nothing": 4 * n / d ** sp.Rational(3, 2),
    "last_mode": 4 * n / d ** (gamma + sp.Rational(3, 2)),
}
N_BOUNDARIES = {
    "dense": d**DENSE_START,
    "interpolation": d**2 / 4,
    "all_modes": _noise * d ** (1 + 2 * gamma) / 4,
}


#: Noise level, with noise and without, and what is captured of a mode of strength y.
_LEVELS = {
    "noisy": sp.sqrt(_noise / (4 * _ALPHA)),
    "noiseless": sp.sqrt(d) * (C_GAMMA * d / (2 * n)) ** gamma,
}
CAPTURED = 1 - 1 / _y**2
mode = sp.Symbol("i", positive=True)


@dataclass(frozen=True)
class Emerging:
    """When mode i emerges to leading order, at lam_c.

    Attributes
    ----------
    detaches, half : sympy.Expr
        n at which it leaves the bulk, s_i = delta, and at which half of it is captured.
    sharpness : sympy.Expr
        d captured/d log n there.
    """

    detaches: sp.Expr
    half: sp.Expr
    sharpness: sp.Expr


EMERGENCE = {
    "noisy": Emerging(
        _noise * d * mode ** (2 * gamma) / 4,
        _noise * d * mode ** (2 * gamma) / 2,
        sp.Rational(1, 2),
    ),
    "noiseless": Emerging(
        C_GAMMA * d * mode / 2, C_GAMMA * d * mode * 2 ** (1 / (2 * gamma)) / 2, gamma
    ),
}


def _emergence_difference(key: str) -> sp.Expr:
    """delta = s_i, captured = 1/2 and its slope there, squared and summed."""
    found, strength = EMERGENCE[key], sp.sqrt(d) * mode**-gamma / _LEVELS[key]
    captured = CAPTURED.subs(_y, strength)
    slope = n * sp.diff(captured, n)
    off = (
        strength.subs(n, found.detaches) - 1,
        captured.subs(n, found.half) - sp.Rational(1, 2),
        slope.subs(n, found.half) - found.sharpness,
    )
    return sum(sp.simplify(sp.powdenest(sp.simplify(one), force=True)) ** 2 for one in off)


def _sum_at(threshold: sp.Expr) -> sp.Expr:
    """sum over modes of the error, over delta^2 K/d: the index runs as t = i/K = y^-gamma."""
    share = sp.Symbol("share", positive=True)
    steep = sp.Symbol("steep", positive=True)  # gamma = 1/2 + steep, where Q0 stays finite
    exponent = sp.Rational(1, 2) + steep
    recovered = sp.expand(OUTLIER.subs({_e: threshold}).subs(_y, share**-exponent))
    found = sp.integrate(sp.powsimp(recovered), (share, 0, 1))
    missed = 1 / (2 * exponent - 1)  # the integral of t^(-2 gamma) from 1 on
    return sp.simplify(found + missed).subs(steep, gamma - sp.Rational(1, 2))


def _edge_moments() -> tuple[sp.Expr, sp.Expr]:
    """G and a_t for a threshold u below the edge, where the semicircle is sqrt(2 - x)/pi."""
    weight = sp.sqrt(_x) / sp.pi
    return (
        sp.integrate(sp.expand((_u - _x) ** 2) * weight, (_x, 0, _u)),
        sp.integrate((_u - _x) * weight, (_x, 0, _u)),
    )


def _dense_difference() -> sp.Expr:
    g, a_t = _edge_moments()
    edge = sp.solve(sp.Eq(a_t / _u ** sp.Rational(5, 2), sp.Symbol("A")), sp.Symbol("A"))[0]
    at = (_ALPHA / edge) ** sp.Rational(2, 5)
    leading = _noise * g / (4 * _ALPHA)
    return sp.simplify(leading.subs(_u, at) / PHASES["V"].rate - 1)


def _peak_difference() -> sp.Expr:
    """Both equations with G = 1/2 - (8/3 pi) e and a_t = 1/4 - (2/3 pi) e at alpha = 1/4."""
    half_mean = sp.integrate(_x * sp.sqrt(4 - _x**2) / (2 * sp.pi), (_x, 0, 2))
    g, a_t = sp.Rational(1, 2) - 2 * half_mean * _e, sp.Rational(1, 4) - half_mean * _e / 2
    level = (3 * sp.pi * _noise**2 / (32 * _lam)) ** sp.Rational(1, 3)
    at = _noise / (4 * half_mean * level**2)
    first = level**2 / 2 - level**2 * g.subs(_e, at) - _noise / 2
    second = at * level * (1 - 4 * a_t.subs(_e, at)) - _lam
    interpolation = _ALPHA.subs(n, N_BOUNDARIES["interpolation"]) - a_t.subs(_e, 0)
    return sp.simplify(first) ** 2 + sp.simplify(second) ** 2 + interpolation**2


def _balanced(level: sp.Expr, constant: sp.Expr, key: str) -> sp.Expr:
    """The rate at a level minus that of the phase, relative."""
    found = constant * level**2 * _ABOVE.subs(_del, level) / d
    return sp.simplify(sp.powsimp(sp.expand_power_base(found / PHASES[key].rate, force=True))) - 1


def _noiseless_difference() -> sp.Expr:
    """The level that solves the balance, and the error there; the constant is any c > 0."""
    constant = sp.Symbol("c", positive=True)
    level = sp.sqrt(d) * (constant * d / (2 * n)) ** gamma
    error = 2 * _ALPHA * level**2
    summed = constant * level**2 * _ABOVE.subs(_del, level) / d
    rate = (constant * (d / (2 * n)) ** _EXPONENT) ** (2 * gamma)
    ratios = [sp.expand_log(sp.log(one / error), force=True).expand() for one in (summed, rate)]
    same = PHASES["noiseless"].rate - rate.subs(constant, C_GAMMA)
    return sum((ratio**2 for ratio in ratios), same**2)


@cache
def scaling() -> Derivation:
    """Every phase of the (n, lam) plane with rate, constant and boundary."""
    mse, eps = sym.mse, sp.Symbol("epsilon", positive=True)
    first = sp.Eq(2 * sym.alpha * _del**2, mse + _noise / 2, evaluate=False)
    second = sp.Eq(eps * (4 * sym.alpha - sym.J1 / _del), _lam, evaluate=False)
    rates = {key: Asymptotically(mse, phase.rate, evaluate=False) for key, phase in PHASES.items()}
    noisy_level = sp.sqrt(_noise / (4 * _ALPHA))
    threshold = _lam / (4 * _ALPHA)
    shown = {
        **rates,
        "lambda-c": Asymptotically(_lam, LAMBDA_C, evaluate=False),
        "c-gamma": sp.Eq(sp.Symbol("c_gamma"), C_GAMMA, evaluate=False),
    }
    return Derivation(
        key="scaling",
        title="Scaling laws of power-law targets",
        statement=(
            "For eigenvalues sqrt(d) i^-gamma the squared error follows a power of n in each "
            "region of the (n, lam) plane. Eigenvalues above max(delta, epsilon) are recovered "
            "one after another; the sum of their smooth steps is the power law."
        ),
        # A noise that is known to be positive is of use in the steps alone.
        equations={key: one.xreplace({_noise: sym.noise}) for key, one in shown.items()},
        assumptions=(
            "state evolution beyond the proportional limit, lam depending on d: a conjecture",
            "one token; softmax has the same exponents",
            "d -> infinity between the boundaries: corrections are powers of ratios to them",
        ),
        steps=(
            Step(
                first,
                "small error: the noise level is set by the data",
                Asymptotically(_del**2, _noise / (4 * sym.alpha), evaluate=False),
                exactly(lambda: 2 * _ALPHA * noisy_level**2 - _noise / 2),
            ),
            Step(
                second,
                "the bulk is cut where the penalty alone reaches its edge, epsilon = 2 delta",
                Asymptotically(_lam, LAMBDA_C, evaluate=False),
                exactly(lambda: threshold.subs(_lam, LAMBDA_C) - 2 * noisy_level),
            ),
            Step(
                OUTLIER,
                "an outlier s + delta^2/s with overlap 1 - 1/y^2, cut by epsilon",
                _e**2 + 2 - 4 * _e / _y + 3 / _y**2,
                exactly(lambda: OUTLIER - (_e**2 + 2 - 4 * _e / _y + 3 / _y**2)),
            ),
            Step(
                "sum over modes at e = 2",
                "the index as an integral: outliers above delta, s^2 below",
                sp.Eq(sp.Symbol("c_gamma"), C_GAMMA, evaluate=False),
                exactly(lambda: _sum_at(sp.Integer(2)) - C_GAMMA),
            ),
            Step(
                "IV",
                "delta^2 c_gamma K/d with K = (sqrt(d)/delta)^(1/gamma)",
                rates["IV"],
                exactly(lambda: _balanced(noisy_level, C_GAMMA, "IV")),
            ),
            Step(
                "noiseless",
                "2 alpha delta^2 = delta^2 c_gamma K/d fixes delta, the error is 2 alpha delta^2",
                rates["noiseless"],
                exactly(_noiseless_difference),
            ),
            Step(
                "Ib",
                "nothing is learned where epsilon exceeds the largest eigenvalue, sqrt(d)",
                Asymptotically(_lam, LAM_BOUNDARIES["nothing"], evaluate=False),
                exactly(lambda: threshold.subs(_lam, LAM_BOUNDARIES["nothing"]) - sp.sqrt(d)),
            ),
            Step(
                "II",
                "epsilon >> delta: recovered modes are lowered by epsilon, the others missed",
                rates["II"],
                exactly(lambda: _balanced(threshold, 1 + 1 / (2 * gamma - 1), "II")),
            ),
            Step(
                "III",
                "all d modes are lowered by epsilon; begins where epsilon is the last mode",
                rates["III"],
                exactly(
                    lambda: (
                        (threshold**2 - PHASES["III"].rate)
                        + (
                            threshold.subs(_lam, LAM_BOUNDARIES["last_mode"])
                            - sp.sqrt(d) * d**-gamma
                        )
                    )
                ),
            ),
            Step(
                "V",
                "the threshold moves into the bulk by u: a_t = alpha, error delta^2 G",
                rates["V"],
                exactly(_dense_difference),
            ),
            Step(
                "IV = V",
                "equal powers of d",
                DENSE_START,
                exactly(
                    lambda: _EXPONENT * (1 - DENSE_START) - sp.Rational(2, 5) * (DENSE_START - 2)
                ),
            ),
            Step(
                "alpha = 1/4",
                "epsilon << delta: both equations to first order in e",
                rates["peak"],
                exactly(_peak_difference),
            ),
            Step(
                "VIa",
                "epsilon -> 0: half the bulk's noise is kept, error delta^2/2",
                rates["VIa"],
                exactly(
                    lambda: 2 * _ALPHA * 2 * PHASES["VIa"].rate - PHASES["VIa"].rate - _noise / 2
                ),
            ),
            Step(
                "VIb",
                "every mode is above the noise: error delta^2 = noise/(4 alpha), from s_d = delta",
                rates["VIb"],
                exactly(
                    lambda: (
                        (noisy_level**2 - PHASES["VIb"].rate)
                        + sp.simplify(
                            noisy_level.subs(n, N_BOUNDARIES["all_modes"]) - sp.sqrt(d) * d**-gamma
                        )
                    )
                ),
            ),
            *(
                Step(
                    f"emergence, {key} labels",
                    "an outlier is captured by 1 - delta^2/s^2: s_i = delta, captured = 1/2, "
                    "its slope in log n",
                    sp.Tuple(found.detaches, found.half, found.sharpness),
                    exactly(lambda key=key: _emergence_difference(key)),
                )
                for key, found in EMERGENCE.items()
            ),
        ),
        source="section 14",
    )
