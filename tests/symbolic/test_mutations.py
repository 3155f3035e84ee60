# sympy's own annotations are narrower than what its functions return.
# pyright: reportArgumentType=false, reportAttributeAccessIssue=false, reportOperatorIssue=false
# pyright: reportReturnType=false
"""One wrong coefficient, anywhere in the free energy or in a threshold, is noticed.

Each formula has a check that computes the same thing by another route. The check passes on the
formula and must fail on every copy in which one coefficient is off by one per cent.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pytest
import sympy as sp
from scipy import integrate, optimize

from attlas.model import LinearChannel
from attlas.symbolic import notation as sym
from attlas.symbolic.channels import channel_equations
from attlas.symbolic.channels.unimodality import unimodality_bound
from attlas.symbolic.estimators import DIRECT, FACTORISED
from attlas.symbolic.evaluate import evaluate
from attlas.symbolic.free_energy import free_energy
from attlas.symbolic.functions import plain
from attlas.symbolic.state_evolution import CONJUGATES, OVERLAPS
from attlas.symbolic.thresholds import (
    bands,
    bayes,
    collapse,
    critical_behaviour,
    direct_training,
    full_rank_series,
    interpolation,
    jump,
    linear_reduction,
    perfect_recovery,
    perfect_recovery_value,
    ridgeless,
    small_rank,
    small_rank_series,
)
from tests.symbolic.mutation import mutants
from tests.symbolic.own_channels import ABSOLUTE
from tests.symbolic.quadrature import QuadratureLaw
from tests.symbolic.reference_point import linear_point
from tests.symbolic.test_channels import mean_envelope
from tests.symbolic.test_thresholds import cone_minimum, ridgeless_point

#: Relative difference above which a check has failed; the mutations are 1e-2.
TOLERANCE = 1e-4

Check = Callable[[Any], float]


def number(expression: Any, **at: float) -> float:
    return float(np.real(evaluate(expression, at)))


def gap(left: float, right: float) -> float:
    return abs(left - right) / max(abs(right), 1e-300)


def free_energy_check(phi: sp.Expr) -> float:
    """Phi is the loss at the solved T = 1 point, and stationary there in all six parameters."""
    point = linear_point()
    worst = gap(number(plain(phi), **point.values), point.loss)
    for symbol in (*OVERLAPS, *CONJUGATES):
        slope = number(plain(sp.diff(phi, symbol)), **point.values)
        worst = max(worst, abs(slope) * point.values[symbol.name] / point.loss)
    return worst


def direct_energy_check(phi: sp.Expr) -> float:
    """Stationary where the six equations of ridge regression hold, solved here by iteration."""
    alpha, lam_f, labels = 0.3, 0.05, 1.3
    q = m = 0.0
    sigma = 1.0
    for _ in range(400):
        hat = 8 * alpha / (1 + 4 * sigma)
        noise = 32 * alpha * (labels - 2 * m + q) / (1 + 4 * sigma) ** 2
        stiffness = hat + 2 * lam_f
        q, m = (hat**2 * labels + noise) / stiffness**2, hat * labels / stiffness
        sigma = 1 / stiffness
    at = {
        "alpha": alpha, "lam_f": lam_f, "q_label": labels, "q0": labels, "q": q, "m": m,
        "sigma": sigma, "q_hat": noise, "m_hat": hat, "sigma_hat": hat,
    }  # fmt: skip
    loss = alpha * 2 * (labels - 2 * m + q) / (1 + 4 * sigma) ** 2 + lam_f * q / 2
    worst = gap(number(phi, **at), loss)
    for symbol in (*OVERLAPS, *CONJUGATES):
        worst = max(worst, abs(number(sp.diff(phi, symbol), **at)) * at[symbol.name] / loss)
    return worst


def envelope_check(loss: Callable[[Any], Any]) -> Check:
    at = {"q_label": 1.7, "q": 0.8, "m": 0.6, "sigma": 0.45}
    variance = 2 * (1.7 - 1.2 + 0.8)

    @cache
    def expected() -> float:
        return mean_envelope(loss, 0.45, variance)

    return lambda formula: gap(number(formula, **at), expected())


def ratio_check(equation: sp.Eq) -> float:
    """tau at the minimum of the definition, against kappa0(theta)."""
    kappa0 = 0.3
    width = 2 * math.sqrt(0.7)
    best = optimize.minimize_scalar(
        lambda tau: kappa0 * tau**2 + 0.7 * _excess(tau, width), bounds=(0, width),
        method="bounded", options={"xatol": 1e-10},
    )  # fmt: skip
    theta = math.acos(best.x / width)
    return gap(number(equation.rhs, theta=theta), kappa0 / (1 - kappa0))


def value_check(equation: sp.Eq) -> float:
    worst = 0.0
    for kappa0 in (0.2, 0.7):
        width = 2 * math.sqrt(1 - kappa0)
        best = optimize.minimize_scalar(
            lambda tau, k=kappa0, w=width: k * tau**2 + (1 - k) * _excess(tau, w),
            bounds=(0, width), method="bounded", options={"xatol": 1e-10},
        )  # fmt: skip
        theta = math.acos(best.x / width)
        found = number(equation.rhs, kappa0=kappa0, theta=theta)
        worst = max(worst, gap(found, cone_minimum(kappa0)))
    # The least coefficient moves a_perf by 1e-5; the minimisation is good to 1e-10.
    return 100 * worst


def tau_check(equation: sp.Eq) -> float:
    """tau = 2 sqrt(1 - kappa0) cos(theta) puts theta where the semicircle's arc begins."""
    kappa0, theta = 0.3, 0.8
    tau = number(equation.rhs, kappa0=kappa0, theta=theta)
    return gap(tau / math.sqrt(4 * (1 - kappa0)), math.cos(theta))


@cache
def _excess(tau: float, width: float) -> float:
    def weight(x: float) -> float:
        return (x - tau) ** 2 * math.sqrt(max(width**2 - x * x, 0)) * 2 / (math.pi * width**2)

    return integrate.quad(weight, tau, width, epsabs=1e-13)[0]


@cache
def interpolation_point() -> tuple[float, float, float, float]:
    """(delta, J, J1, a) at kappa0 = 0.5, noise = 0.5: a is theory.md's reference, times D = 2.

    delta is where the squared-error identity mse = 2 a delta^2 - noise/2 meets q - 2m + q0 with
    q, m from the coupling of eigenvectors: neither equation under test is used.
    """
    samples = 2 * 0.153482102859080067573536069481189360096

    def mismatch(delta: float) -> float:
        law = QuadratureLaw(0.5, delta)
        q = law.J(0.0)
        m = law.average(lambda x, h, _r: x * (x - 2 * delta**2 * h), 0.0)
        return q - 2 * m + 1.5 - 2 * samples * delta**2 + 0.25

    delta = optimize.brentq(mismatch, 1.5, 3.5, xtol=1e-13)
    law = QuadratureLaw(0.5, delta)
    return delta, law.J(0.0), law.J1(0.0), samples


def interpolation_signal(equation: sp.Eq) -> float:
    delta, j, j1, _ = interpolation_point()
    return gap(number(equation.rhs, J=j, J1=j1, delta=delta), 1.75)


def interpolation_samples(equation: sp.Eq) -> float:
    delta, _, j1, samples = interpolation_point()
    return gap(number(equation.rhs, J1=j1, delta=delta), samples)


def wishart_closed(which: str) -> Check:
    def check(equation: sp.Eq) -> float:
        worst = 0.0
        for kappa0, delta in ((0.5, 1.1), (0.2, 2.5), (1.6, 0.8)):
            law = QuadratureLaw(kappa0, delta)
            j, j1 = law.J(0.0), law.J1(0.0)
            right = j - delta * j1 / 2 if which == "signal" else j1 / (4 * delta)
            found = number(equation.rhs, s=math.sqrt(kappa0), delta=delta, g=law.transform(0.0))
            worst = max(worst, gap(found, right))
        return worst

    return check


def cubic_check(equation: sp.Eq) -> float:
    """The cubic vanishes at the transform found from z = 0 = R(g) + delta^2 g + 1/g."""
    worst = 0.0
    for s, delta, start in ((0.7, 1.1, 0.3 - 0.9j), (0.5, 2.0, 0.1 - 0.5j)):
        g = _newton(lambda g, s=s, t=delta**2: 1 / g + t * g + s * s / (s - g), start)
        value = evaluate(equation.lhs, {"s": s, "delta": delta, "g": g})
        worst = max(worst, abs(value))
    return worst


def _newton(function: Callable[[complex], complex], start: complex) -> complex:
    point, step = start, 1e-7
    for _ in range(100):
        slope = (function(point + step) - function(point - step)) / (2 * step)
        point -= function(point) / slope
    return point


def small_noise_check(equation: sp.Eq) -> float:
    """a_int(noise) and its slope in noise^(1/3), from quadrature at small delta."""
    kappa0, found = 0.3, []
    for delta in (1e-2, 5e-3):
        law = QuadratureLaw(kappa0, delta)
        samples = law.J1(0.0) / (4 * delta)
        # J - delta J1/2 - q0 without cancellation: (int_(x<0) x^2)' terms only.
        below = law.average(lambda x, _h, _r: x**2) - law.J(0.0)
        slope = 4 * delta * (law.average(lambda x, h, _r: x * h) - law.J1(0.0) / (4 * delta))
        noise = 2 * (-below + delta * slope / 2)
        found.append((noise, samples))
    zeroth = number(equation.rhs, kappa0=kappa0, noise=0.0)
    drops = [(number(equation.rhs, kappa0=kappa0, noise=n) - zeroth) / (a - (1 + 0.6 - 0.09) / 4)
             for n, a in found]  # fmt: skip
    extrapolated = 2 * drops[1] - drops[0]
    return max(gap(zeroth, (1 + 2 * kappa0 - kappa0**2) / 4), abs(extrapolated - 1) / 10)


def large_noise_check(equation: sp.Eq) -> float:
    kappa0, found = 0.3, []
    for delta in (1000.0, 2000.0):
        law = QuadratureLaw(kappa0, delta)
        labels = law.J(0.0) - delta * law.J1(0.0) / 2
        exact = law.J1(0.0) / (4 * delta)
        found.append((labels * (exact - 0.25), labels))
    slope = 2 * found[1][0] - found[0][0]
    labels = found[1][1]
    shown = number(equation.rhs, kappa0=kappa0, q_label=labels)
    far = number(equation.rhs, kappa0=kappa0, q_label=1e12)
    return max(gap(labels * (shown - far), slope), gap(far, 0.25))


def condition_check(relation: sp.Rel) -> float:
    """The condition reaches 1 exactly where the number of bands changes."""
    kappa0 = 0.2

    def two(delta: float) -> bool:
        return len(QuadratureLaw(kappa0, delta).bands) == 2

    low, high = 0.05, 2.0
    for _ in range(50):
        middle = (low + high) / 2
        low, high = (middle, high) if two(middle) else (low, middle)
    if relation.lhs == sym.delta:
        return gap(number(relation.rhs, kappa0=kappa0), low)
    if relation.lhs == sym.x:
        return gap(number(relation.rhs, kappa0=kappa0), QuadratureLaw(kappa0, low).bands[0][1])
    return gap(number(relation.lhs, kappa0=kappa0, delta=low), 1.0)


def edges_check(equation: sp.Eq) -> float:
    coefficients = sp.Poly(equation.lhs, sym.u).all_coeffs()
    worst = 0.0
    for kappa0, delta in ((0.3, 0.9), (0.7, 0.05), (2.0, 1.5)):
        law = QuadratureLaw(kappa0, delta)
        roots = np.roots([number(c, s=math.sqrt(kappa0), delta=delta) for c in coefficients])
        real = roots[np.abs(roots.imag) < 1e-9].real
        if len(real) != 2 * len(law.bands):
            return 1.0
        # A position is stationary at an edge, so it is the slope that tells.
        step = 1e-6 * real
        slope = (law.position(real + step) - law.position(real - step)) / (2 * step)
        worst = max(worst, float(np.max(np.abs(slope))) / 100)
    return worst


def jump_check(equation: sp.Eq) -> float:
    worst = 0.0
    for kappa0 in (1.5, 4.0):
        touching = optimize.brentq(
            lambda delta, k=kappa0: QuadratureLaw(k, delta).bands[0][0], 1e-3, 10, xtol=1e-14
        )
        worst = max(worst, gap(number(equation.rhs, kappa0=kappa0), touching**2))
    return worst


def bayes_conjugate_check(equation: sp.Eq) -> float:
    """Least squares, T = 1, one sample: an entry S_ij, i < j, has feature 2 x_i x_j/sqrt(d) and
    label noise of variance noise plus that of the scores not yet known, 2 (q0 - q)."""
    samples, q0, q, noise = 0.7, 1.4, 0.6, 0.8
    return gap(
        number(equation.rhs, a=samples, q0=q0, q=q, noise=noise),
        4 * samples / (noise + 2 * (q0 - q)),
    )


def bayes_overlap_check(equation: sp.Eq) -> float:
    kappa0, delta = 0.4, 1.2
    law = QuadratureLaw(kappa0, delta)
    best = law.average(lambda x, h, _r: (x - 2 * delta**2 * h) ** 2)
    cube = law.average(lambda _x, _h, r: r**2)
    return gap(number(equation.rhs, q0=1.4, q_hat=1 / delta**2, cube=cube), best)


def bayes_threshold_check(equation: sp.Eq) -> float:
    """Degrees of freedom of a symmetric matrix of rank kappa0 d, per d^2, counted at d = 10^6."""
    size = 10**6
    worst = 0.0
    for kappa0 in (0.2, 0.7):
        rank = round(kappa0 * size)
        free = (rank * size - rank * (rank - 1) / 2) / size**2
        worst = max(worst, gap(number(equation.rhs, kappa0=kappa0), free))
    return worst


@cache
def spiked_point() -> dict[str, float]:
    """A spike of weight kappa0 = 1e-6 by quadrature: J, J1 above the bulk, at mass scale."""
    kappa0, noise, threshold = 1e-6, 0.4, 0.9
    root = math.sqrt(kappa0)
    law = QuadratureLaw(kappa0, noise / root)
    epsilon = threshold / root
    j, j1, j2 = law.J(epsilon), law.J1(epsilon), law.J2(epsilon)
    delta = noise / root
    return {
        "height": -j2 / (2 * root), "norm": j, "slope": j1,
        "overlap": j - (delta * j1 + epsilon * j2) / 2,
        "delta_r": noise, "epsilon_r": threshold, "kappa0": kappa0, "bulk": 0.0,
    }  # fmt: skip


def spiked(name: str) -> Check:
    """Formulas of the small-rank limit against a spike at kappa0 = 1e-6."""

    def check(equation: sp.Eq) -> float:
        at = {**spiked_point(), "eta": 1.3, "sigma_hat": 0.7}
        at["outlier"] = 1 + at["delta_r"] ** 2 - at["epsilon_r"]
        right = {
            "outlier": at["height"],
            "q": 1.3**2 * at["norm"],
            "m": 1.3 * at["overlap"],
            "sigma": at["slope"] / (2 * at["delta_r"] / math.sqrt(1e-6) * 0.7),
        }[name]
        return gap(number(equation.rhs, **at), right)

    return check


def touching_bulk_check(equation: sp.Eq) -> float:
    """With the bulk touching, J1 keeps a part of the bulk: sigma from both parts (section 9)."""
    at = {"kappa0": 0.01, "delta_r": 0.4, "epsilon_r": 0.8, "bulk": 0.5, "outlier": 0.36,
          "sigma_hat": 0.7}  # fmt: skip
    slope = math.sqrt(0.01) * (2 * 0.36 * 2 * 0.4 + 0.8 * 0.5)
    return gap(number(equation.rhs, **at), slope / (2 * 0.4 / math.sqrt(0.01) * 0.7))


@cache
def small_rank_solution() -> tuple[float, float]:
    """(delta_r, bulk) of the two ridgeless equations on one spike, alpha_r D = 2, noise = 1/2.

    J of the spike is differentiated numerically and the bulk adds b to the derivatives.
    """

    def spike(delta: float, epsilon: float) -> float:
        return max(1 + delta**2 - epsilon, 0.0) ** 2

    def balance(unknown: np.ndarray) -> list[float]:
        delta, bulk = unknown
        epsilon, step = 2 * delta, 1e-6
        j = spike(delta, epsilon)
        j1 = (spike(delta + step, epsilon) - spike(delta - step, epsilon)) / (2 * step)
        j2 = (spike(delta, epsilon + step) - spike(delta, epsilon - step)) / (2 * step)
        j1 += epsilon * bulk
        j2 -= delta * bulk
        return [j - delta * j1 / 2 - epsilon * j2 - 1.25, j1 / (4 * delta) - 2]

    found = optimize.fsolve(balance, [0.4, 2.0], xtol=1e-13)
    return float(found[0]), float(found[1])


def small_rank_noise(equation: sp.Eq) -> float:
    delta, _ = small_rank_solution()
    return gap(number(equation.rhs, delta_r=delta, alpha_r=2, label_rank=1), 0.25)


def small_rank_bulk(equation: sp.Eq) -> float:
    delta, bulk = small_rank_solution()
    return gap(number(equation.rhs, delta_r=delta, alpha_r=2, label_rank=1), bulk)


def small_rank_touch(equation: sp.Eq) -> float:
    """The bulk's edge, two standard deviations of the semicircle."""
    edge = QuadratureLaw(1e-6, 3.0).bands[0][1]
    return gap(number(equation.rhs, delta_r=3.0), edge) / 10


def weak_recovery_check(equation: sp.Eq) -> float:
    """Rank-one spectral transition: the outlier of strength 1 leaves at delta_r = 1 exactly when
    delta_r^2 = (1 + noise/2)/(2 alpha_r D), the uninformed noise level."""
    noise = 0.6
    return gap(number(equation.rhs, noise=noise), optimize.brentq(
        lambda samples: (1 + noise / 2) / (2 * samples) - 1, 0.1, 5))  # fmt: skip


def recovery_of_small_rank(equation: sp.Eq) -> float:
    """The limit of a_perf/kappa0, from the definition at small rank, extrapolated in z^2."""
    pairs = []
    for kappa0 in (1e-7, 1e-7 / 32):
        z = (15 * math.pi * kappa0 / 2) ** 0.2
        pairs.append((z**2, perfect_recovery_value(str(kappa0), "float64") / kappa0))
    (x1, y1), (x2, y2) = pairs
    return gap(number(equation.rhs), y2 + (y2 - y1) / (x2 - x1) * (0 - x2))


@cache
def below_recovery() -> dict[str, float]:
    """delta and the squared error just below recovery, Richardson-extrapolated on quadrature."""
    kappa0 = 0.3
    threshold = perfect_recovery_value("3/10", "float64")
    scaled = []
    for delta in (4e-3, 2e-3):
        law = QuadratureLaw(kappa0, delta)

        def signal(tau: float, law: QuadratureLaw = law, delta: float = delta) -> float:
            return (
                law.average(
                    lambda x, h, _r: (x - tau * delta) * ((x + tau * delta) - 2 * delta**2 * h),
                    tau * delta,
                )
                - 1
                - kappa0
            ) / delta**2

        tau = optimize.brentq(signal, 0.3, 1.0, xtol=1e-12)
        samples = law.J1(tau * delta) / (4 * delta)
        scaled.append((tau, (threshold - samples) / delta))
    tau = 2 * scaled[1][0] - scaled[0][0]
    slope = 2 * scaled[1][1] - scaled[0][1]
    return {"tau": tau, "slope": slope, "a_perf": threshold, "kappa0": kappa0}


def critical_check(equation: sp.Eq) -> float:
    point = below_recovery()
    distance = 1e-6
    at = {"kappa0": 0.3, "tau": point["tau"], "a_perf": point["a_perf"],
          "a": point["a_perf"] - distance}  # fmt: skip
    delta = distance / point["slope"]
    right = delta if equation.lhs == sym.delta else 2 * point["a_perf"] * delta**2
    return gap(number(equation.rhs, **at), right) / 10


def ridge_error_check(equation: sp.Eq) -> float:
    """Unregularised least squares on fewer Gaussian samples than unknowns: the projection keeps
    a share 2 a of any fixed vector (a = n/d^2 against d^2/2 unknowns)."""
    return gap(number(equation.rhs, q0=1.7, a=0.15), 1.7 * (1 - 0.15 / 0.5))


def direct_display_check(name: str) -> Check:
    def check(equation: sp.Eq) -> float:
        law = QuadratureLaw(0.5, 0.8)
        whole, part = name.startswith("direct-psd"), 0.0
        part = law.J(0.0) if whole else law.average(lambda x, _h, _r: x**2)
        cut = 0.0 if whole else -np.inf
        aligned = law.average(lambda x, h, _r: x * (x - 2 * 0.64 * h), cut)
        slope = 4 * 0.8 * law.average(lambda x, h, _r: x * h, cut)
        at = {"eta": 1.2, "delta": 0.8, "q0": 1.5, "J": part, "J1": slope, "curvature": 0.9}
        right = {"q": 1.44 * part, "m": 1.2 * aligned, "sigma": slope / (2 * 0.8 * 0.9)}
        return gap(number(equation.rhs, **at), right[name.rsplit("-", 1)[1]])

    return check


def linear_check(equation: sp.Eq) -> float:
    """The same numbers read as noise = 0.3 and Q0 = Q - 0.15: only Q enters the equations."""
    at = linear_point().values
    error = at["q"] - 2 * at["m"] + at["q_label"] - 0.15
    names = {sym.q_label: at["q_label"], sym.lam_tilde: at["lam_tilde"], sym.mse: error}
    return gap(number(equation.rhs, **{**at, "noise": 0.3}), names[equation.lhs])


def noisy_error_check(equation: sp.Eq) -> float:
    """mse of the ridgeless limit at kappa0 = 0.5, a = 0.2, noise = 0.3, from overlaps."""
    q, m, at = ridgeless_overlaps()
    right = {sym.mse: q - 2 * m + 1.5, sym.q: 1.3**2 * q, sym.m: 1.3 * m}
    if equation.lhs in right:
        return gap(number(equation.rhs, **at), right[equation.lhs])
    return gap(number(equation.rhs, **at), {sym.q_label: 1.65, sym.a: 0.2}[equation.lhs])


@cache
def ridgeless_overlaps() -> tuple[float, float, dict[str, float]]:
    delta, epsilon = ridgeless_point(0.5, 0.2, 0.3)
    law = QuadratureLaw(0.5, delta)
    q = law.J(epsilon)
    m = law.average(lambda x, h, _r: (x - epsilon) * (x - 2 * delta**2 * h), epsilon)
    at = {"J": q, "J1": law.J1(epsilon), "J2": law.J2(epsilon), "delta": delta,
          "epsilon": epsilon, "a": 0.2, "noise": 0.3, "beta0": 1.3, "beta": 1.0}  # fmt: skip
    return q, m, at


def collapse_check(equation: sp.Eq) -> float:
    """S = 0 is a minimum until lam_tilde d exceeds the top of the gradient's spectrum at S = 0.

    The gradient there is -(2/d) sum y Z, a matrix of mean 4 alpha S0 and noise whose variance
    follows from y^2 alone: for T = 1, 4 alpha times S0 + sqrt(Q/(2 alpha)) Z.
    """
    at = {"m_hat": 8 * 0.2, "alpha": 0.2, "x_top": 5.0, "q_label": 1.5}
    right = {sym.lam_tilde: 4 * 0.2 * 5.0, sym.delta: math.sqrt(1.5 / 0.4)}
    return gap(number(equation.rhs, **at), right[equation.lhs])


def small_series_check(series: sp.Expr) -> float:
    """Against the digits of a_perf at kappa0 = 1/500, magnified a hundred times."""
    z = (15 * math.pi / 1000) ** 0.2
    exact = perfect_recovery_value("1/500", "float64") * 500
    return 100 * abs(number(series, zeta=z) - exact)


def full_series_check(series: sp.Expr) -> float:
    """Against the digits of a_perf at w = 1/4, magnified a hundred times."""
    return 100 * abs(number(series, w=0.25) - perfect_recovery_value("3/4", "float64"))


def bound_check(bound: sp.Expr) -> float:
    """The bound from the most negative curvature on a fine grid."""
    p = np.linspace(0, 1, 400_001)
    slope = p * (1 - p)
    worst = min(np.min(slope**2 - (y - p) * slope * (1 - 2 * p)) for y in (0.0, 1.0))
    return gap(float(bound.evalf(20)), -1 / (16 * worst))


def _formulas() -> dict[str, tuple[Callable[[], Any], Check]]:
    """Every formula under mutation, with the check that guards it."""

    def of(build: Callable[[], Any], name: str) -> Callable[[], Any]:
        return lambda: build().equations[name]

    table: dict[str, tuple[Callable[[], Any], Check]] = {
        "free energy": (
            lambda: free_energy(channel_equations(LinearChannel()), FACTORISED),
            free_energy_check,
        ),
        "free energy, direct": (
            lambda: free_energy(channel_equations(LinearChannel()), DIRECT),
            direct_energy_check,
        ),
        "M linear": (
            lambda: channel_equations(LinearChannel()).closed_form,
            envelope_check(np.square),
        ),
        "M absolute": (lambda: ABSOLUTE.closed_form, envelope_check(np.abs)),
        "unimodality": (unimodality_bound, bound_check),
    }
    checks: dict[Callable[[], Any], dict[str, Check]] = {
        perfect_recovery: {"ratio": ratio_check, "value": value_check, "tau": tau_check},
        interpolation: {
            "signal": interpolation_signal, "samples": interpolation_samples,
            "wishart-signal": wishart_closed("signal"),
            "wishart-samples": wishart_closed("samples"),
            "small-noise": small_noise_check, "large-noise": large_noise_check,
        },
        bands: {"critical-delta": condition_check, "opening": condition_check},
        jump: {"jump": jump_check},
        bayes: {
            "q_hat": bayes_conjugate_check, "q": bayes_overlap_check,
            "threshold": bayes_threshold_check,
        },
        small_rank: {
            "outlier": spiked("outlier"), "q": spiked("q"), "m": spiked("m"),
            "sigma": touching_bulk_check, "ridgeless-noise": small_rank_noise,
            "ridgeless-bulk": small_rank_bulk, "ridgeless-threshold": small_rank_touch,
            "weak-recovery": weak_recovery_check, "perfect-recovery": recovery_of_small_rank,
        },
        critical_behaviour: {"delta": critical_check, "mse": critical_check},
        direct_training: {
            "ridgeless-error": ridge_error_check,
            **{f"{kind}-{name}": direct_display_check(f"{kind}-{name}")
               for kind in ("direct", "direct-psd") for name in ("q", "m", "sigma")},
        },
        linear_reduction: {"signal": linear_check, "penalty": linear_check, "mse": linear_check},
        ridgeless: dict.fromkeys(("signal", "samples", "q", "m", "mse"), noisy_error_check),
        collapse: dict.fromkeys(("general", "linear", "linear-delta"), collapse_check),
    }  # fmt: skip
    for build, named in checks.items():
        for name, check in named.items():
            table[f"{build.__name__}: {name}"] = (of(build, name), check)
    return table


FORMULAS = _formulas()


@pytest.mark.parametrize("name", FORMULAS)
def test_one_wrong_coefficient_is_noticed(name: str) -> None:
    build, check = FORMULAS[name]
    formula = build()
    assert check(formula) < TOLERANCE
    wrong = list(mutants(formula))
    missed = [mutant for mutant in wrong if not check(mutant) > TOLERANCE]
    assert wrong
    assert not missed


def test_conditions_that_are_inequalities_are_guarded_too() -> None:
    relation = bands().equations["condition"]
    assert condition_check(relation) < TOLERANCE
    for wrong in mutants(relation.lhs):
        assert condition_check(sp.Lt(wrong, 1, evaluate=False)) > TOLERANCE


@pytest.mark.parametrize("name", ["wishart-cubic", "edges"])
def test_polynomials_are_guarded_too(name: str) -> None:
    """One coefficient changed moves the root or the edges."""
    guarded = {"wishart-cubic": (interpolation, cubic_check), "edges": (bands, edges_check)}
    derivation, check = guarded[name]
    equation = derivation().equations[name]
    assert check(equation) < TOLERANCE
    # The first mutant is a common factor, which changes nothing.
    for wrong in list(mutants(equation.lhs))[1:]:
        assert check(sp.Eq(wrong, 0, evaluate=False)) > TOLERANCE


@pytest.mark.parametrize(
    ("build", "check", "guarded"),
    [(small_rank_series, small_series_check, 6), (full_rank_series, full_series_check, 4)],
)
def test_expansions_are_guarded(build: Any, check: Check, guarded: int) -> None:
    """The orders that theory.md states; higher ones make the remainder negligible."""
    whole, low = build(14), build(guarded)
    assert check(whole) < TOLERANCE
    for wrong in mutants(low):
        assert check(wrong + whole - low) > TOLERANCE
