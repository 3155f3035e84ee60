# sympy's own annotations are narrower than what its functions return.
# pyright: reportArgumentType=false, reportAttributeAccessIssue=false
"""The solver's numbers are the symbolic equations, at random points, equation by equation."""

from __future__ import annotations

import math
from fractions import Fraction
from functools import cache

import mpmath
import numpy as np
import pytest
import sympy as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from attlas.model import (
    Atoms,
    Direct,
    DirectPSD,
    Factorised,
    LinearChannel,
    Problem,
    SoftmaxChannel,
    WidthLimited,
    Wishart,
)
from attlas.solver.bayes.potential import BayesProblem
from attlas.solver.channels import channel_kernel
from attlas.solver.channels.many_tokens.scores import reduced_scores
from attlas.solver.channels.many_tokens.softmax_loss import SoftmaxLoss, softmax_rows
from attlas.solver.channels.two_tokens.proximal import ProximalProblem, logistic
from attlas.solver.channels.two_tokens.scores import THEORY
from attlas.solver.denoisers import Denoiser
from attlas.solver.order_parameters import Conjugates, Overlaps
from attlas.solver.solve import solve
from attlas.solver.spectrum import target_law
from attlas.solver.state_evolution import StateEvolution
from attlas.symbolic import notation as sym
from attlas.symbolic.channels import Softmax, channel_equations
from attlas.symbolic.channels.unimodality import unimodality_bound
from attlas.symbolic.estimators import (
    DIRECT,
    DIRECT_PSD,
    FACTORISED,
    WIDTH_LIMITED,
    Estimator,
)
from attlas.symbolic.evaluate import evaluate
from attlas.symbolic.free_convolution import WISHART, NumericLaw, atoms
from attlas.symbolic.functions import plain
from attlas.symbolic.state_evolution import state_evolution
from attlas.symbolic.thresholds import bayes, ridgeless
from tests.own_penalty.strangers import Elastic, Lasso
from tests.symbolic.strategies import points, values

#: Kernels are double precision; closed forms cancel a few digits at small delta.
CLOSE = {"rel": 1e-10, "abs": 1e-12}

RATIOS = st.fractions("1/20", 3, max_denominator=40)


def exact_law(kappa0, delta: float) -> NumericLaw:
    with mpmath.workdps(60):
        root = mpmath.sqrt(mpmath.mpf(kappa0.numerator) / kappa0.denominator)
        return NumericLaw(WISHART, {"s": root, "delta": mpmath.mpf(delta)}, "mpmath", 40)


@settings(max_examples=40, deadline=None)
@given(kappa0=RATIOS, delta=st.floats(0.01, 3), epsilon=st.floats(0, 2.5))
def test_wishart_integrals_are_the_closed_forms_within_their_errors(kappa0, delta, epsilon) -> None:
    integrals = target_law(Wishart(kappa0)).noisy(delta).truncated(epsilon)
    law = exact_law(kappa0, delta)
    for name, value, error in (
        ("J", integrals.j, integrals.j_error),
        ("J1", integrals.j1, integrals.j1_error),
        ("J2", integrals.j2, integrals.j2_error),
        ("mass", integrals.mass, integrals.mass_error),
    ):
        expected = float(getattr(law, name)(epsilon))
        assert value == pytest.approx(expected, **CLOSE)
        assert abs(value - expected) <= error + 4e-16 * (1 + abs(expected))


@settings(max_examples=15, deadline=None)
@given(kappa0=RATIOS, delta=st.floats(0.05, 3), x=st.floats(-1, 5))
def test_wishart_density_and_bands_are_those_of_the_polynomial(kappa0, delta, x) -> None:
    noisy, law = target_law(Wishart(kappa0)).noisy(delta), exact_law(kappa0, delta)
    edges = [float(end) for band in law.bands() for end in band]
    found = [end for band in noisy.bands() for end in (band.lower, band.upper)]
    assert found == pytest.approx(edges, rel=1e-9, abs=1e-10)
    if min(abs(x - edge) for edge in edges) < 1e-3:
        return
    value = complex(law.transform(x))
    assert float(noisy.density(x)) == pytest.approx(-value.imag / math.pi, rel=1e-9, abs=1e-11)
    assert float(noisy.hilbert(x)) == pytest.approx(value.real, rel=1e-9, abs=1e-11)


@settings(max_examples=10, deadline=None)
@given(delta=st.floats(0.1, 1.5), epsilon=st.floats(0, 1.5))
def test_laws_of_atoms_are_the_closed_forms(delta, epsilon) -> None:
    curve = atoms([(sp.Rational(2, 5), sp.Integer(0)), (sp.Rational(3, 5), sp.Rational(3, 2))])
    law = NumericLaw(curve, {"delta": delta}, "mpmath", 40)
    integrals = target_law(Atoms([0.0, 0.0, 1.5, 1.5, 1.5])).noisy(delta).truncated(epsilon)
    for name, value in (("J", integrals.j), ("J1", integrals.j1), ("J2", integrals.j2)):
        assert value == pytest.approx(float(getattr(law, name)(epsilon)), rel=1e-8, abs=1e-9)


ESTIMATORS = {
    "factorised": (lambda at: Factorised(at["lam_tilde"]), FACTORISED),
    "direct": (lambda at: Direct(at["lam_f"]), DIRECT),
    "direct-psd": (lambda at: DirectPSD(at["lam_f"]), DIRECT_PSD),
    "elastic": (
        lambda at: Elastic(at["lam_tilde"], ridge=at["lam_f"]),
        Estimator.of(Elastic(1, ridge=1)),
    ),
    "lasso": (
        lambda at: Lasso(at["lam_tilde"], ridge=at["lam_f"]),
        Estimator.of(Lasso(1, ridge=1)),
    ),
}


@pytest.mark.parametrize("name", ESTIMATORS)
@settings(max_examples=15, deadline=None)
@given(kappa0=RATIOS, at=points("q_hat", "m_hat", "sigma_hat", "lam_tilde", "lam_f"))
def test_overlaps_and_the_matrix_term_are_derived_from_the_free_energy(name, kappa0, at) -> None:
    build, estimator = ESTIMATORS[name]
    hats = Conjugates(*(float(at[key]) for key in ("q_hat", "m_hat", "sigma_hat")))
    state = Denoiser.of(build(at).penalty, target_law(Wishart(kappa0))).state(hats)
    parts = state_evolution(channel_equations(SoftmaxChannel(2)), estimator)
    law, epsilon, delta = exact_law(kappa0, state.delta), state.epsilon, state.delta
    j, j1, j2 = law.J(epsilon), law.J1(epsilon), law.J2(epsilon)
    if name == "lasso":  # and what lies below -epsilon: all but what lies above it
        mean = float(kappa0) ** 0.5
        j += 1 + kappa0 + delta**2 + 2 * epsilon * mean + epsilon**2 - law.J(-epsilon)
        j1 += 2 * delta - law.J1(-epsilon)
        j2 += 2 * mean + 2 * epsilon + law.J2(-epsilon)
    values = {**at, "q0": 1 + kappa0, "J": j, "J1": j1, "J2": j2}
    found = {"q": state.overlaps.q, "m": state.overlaps.m, "sigma": state.overlaps.sigma}
    for key, value in found.items():
        expected = evaluate(parts.updates[sym.notation(key).symbol], values, "mpmath", 30)
        assert value == pytest.approx(float(expected), rel=1e-9, abs=1e-12)
    term = evaluate(plain(estimator.matrix_term()), values, "mpmath", 30)
    assert state.free_energy == pytest.approx(float(term), rel=1e-9, abs=1e-13)
    for key in ("delta", "epsilon", "eta"):
        expected = evaluate(parts.definitions[sym.notation(key).symbol], {
            **values, "curvature": evaluate(parts.definitions[sym.curvature], values)})  # fmt: skip
        assert getattr(state, key) == pytest.approx(float(expected), rel=1e-13, abs=1e-300)
    assert state.mse == pytest.approx(
        float(state.overlaps.q - 2 * state.overlaps.m + 1 + kappa0), rel=1e-8, abs=1e-9
    )


@settings(max_examples=8, deadline=None)
@given(kappa=st.fractions("1/10", "2/5", max_denominator=30), delta=st.floats(0.2, 1.0))
def test_a_narrow_student_cuts_the_same_integrands(kappa, delta) -> None:
    kappa0, m_hat, sigma_hat, lam = sp.Rational(1, 2), 1.2, 0.7, 0.01
    estimator = WidthLimited(lam=str(lam), kappa=kappa)
    hats = Conjugates((delta * m_hat) ** 2, m_hat, sigma_hat)
    state = Denoiser.of(estimator.penalty, target_law(Wishart("1/2"))).state(hats)
    law = exact_law(kappa0, delta)
    cut = float(target_law(Wishart("1/2")).noisy(delta).quantile(float(1 - kappa)))
    if law.mass(state.epsilon) <= float(kappa):
        cut = state.epsilon
    parts = state_evolution(channel_equations(SoftmaxChannel(2)), WIDTH_LIMITED)
    at = {
        "q_hat": hats.q_hat, "m_hat": m_hat, "sigma_hat": sigma_hat,
        "lam_tilde": float(estimator.penalty.linear), "J": law.J(state.epsilon, cut),
        "J1": law.J1(state.epsilon, cut), "J2": law.J2(state.epsilon, cut),
    }  # fmt: skip
    for key in ("q", "m", "sigma"):
        expected = float(evaluate(parts.updates[sym.notation(key).symbol], at, "mpmath", 30))
        assert getattr(state.overlaps, key) == pytest.approx(expected, rel=1e-8)


@settings(max_examples=40, deadline=None)
@given(at=points("q_label", "q", "m", "sigma", "alpha"))
def test_the_linear_kernel_is_the_closed_m_and_its_derivatives(at) -> None:
    overlaps = Overlaps(*(float(at[key]) for key in ("q", "m", "sigma")))
    moments = channel_kernel(LinearChannel("0")).moments(overlaps, float(at["q_label"]), 0)
    closed = channel_equations(LinearChannel()).closed_form
    for value, formula in (
        (moments.energy, closed),
        (moments.d_sigma, sp.diff(closed, sym.sigma)),
        (moments.d_m, sp.diff(closed, sym.m)),
        (moments.d_q, sp.diff(closed, sym.q)),
    ):
        assert value == pytest.approx(evaluate(formula, at), rel=1e-13)


@settings(max_examples=20, deadline=None)
@given(at=points("q_label", "q", "m", "sigma", "alpha"), kappa0=RATIOS)
def test_conjugates_and_the_free_energy_are_the_derived_ones(at, kappa0) -> None:
    problem = Problem(alpha=at["alpha"], target=Wishart(kappa0), channel=LinearChannel(),
                      estimator=Factorised("1/10"))  # fmt: skip
    solver = StateEvolution.of(problem)
    overlaps = Overlaps(*(float(at[key]) for key in ("q", "m", "sigma")))
    moments = solver.kernel.moments(overlaps, solver.signal, 0)
    hats = solver.conjugates(moments)
    parts = state_evolution(channel_equations(LinearChannel()), FACTORISED)
    values = {**at, "q_label": 1 + kappa0, "lam_tilde": "1/10"}
    for key in ("q_hat", "m_hat", "sigma_hat"):
        expected = evaluate(parts.updates[sym.notation(key).symbol], values)
        assert getattr(hats, key) == pytest.approx(float(expected), rel=1e-12)
    x = np.log([math.sqrt(hats.q_hat) / hats.m_hat, hats.m_hat, hats.m_hat / hats.sigma_hat])
    state = solver.state(x)
    law = exact_law(kappa0, state.delta)
    found = {key: getattr(state.overlaps, key) for key in ("q", "m", "sigma")}
    moments = solver.kernel.moments(Overlaps(**found), solver.signal, 0)
    phi = evaluate(plain(parts.free_energy), {
        **values, **found, "q_hat": hats.q_hat, "m_hat": hats.m_hat, "sigma_hat": hats.sigma_hat,
        "J": law.J(state.epsilon)}, "mpmath", 30)  # fmt: skip
    assert solver.free_energy(x, state, moments) == pytest.approx(float(phi), rel=1e-8, abs=1e-9)


@cache
def two_token_derivatives() -> tuple[sp.Expr, list[sp.Expr], list[sp.Expr]]:
    """Loss, minus its gradient and its second derivatives in (u, v), from the symbolic channel."""
    softmax = Softmax(2)
    u, v, u0, v0 = sp.symbols("u v u0 v0", real=True)
    fixed = {"h_12": 0, "h_11": u, "h_22": v, "z_12": 0, "z_11": u0, "z_22": v0}
    loss = softmax.loss.subs(
        {symbol: fixed[symbol.name] for symbol in softmax.loss.free_symbols if symbol.name in fixed}
    )
    return (
        loss,
        [-sp.diff(loss, e) for e in (u, v)],
        [sp.diff(loss, e, 2) for e in (u, v)],
    )


@settings(max_examples=40, deadline=None)
@given(scores=st.lists(st.floats(-4, 4), min_size=4, max_size=4), at=points("beta", "beta0"))
def test_the_two_token_kernel_is_the_symbolic_loss(scores, at) -> None:
    beta, beta0 = float(at["beta"]), float(at["beta0"])
    u, v, u0, v0 = scores
    problem = ProximalProblem(
        logistic(beta0 * np.array([[u0], [v0]])), np.zeros((2, 1)), 1.0, beta, THEORY
    )
    here = np.array([[u], [v]])
    loss, pull, bend = two_token_derivatives()
    values = {"u": u, "v": v, "u0": u0, "v0": v0, "beta": beta, "beta0": beta0}
    assert problem.loss(here)[0] == pytest.approx(evaluate(loss, values), **CLOSE)
    for index in range(2):
        assert problem.residual(here)[index, 0] == pytest.approx(
            evaluate(pull[index], values), **CLOSE
        )
        assert problem.curvature(here)[index, 0] == pytest.approx(
            evaluate(bend[index], values), **CLOSE
        )


def test_the_two_token_metric_and_convexity_are_those_derived() -> None:
    differences = sp.Matrix([[1, -1, 0], [0, -1, 1]]) * Softmax(2).basis
    derived = np.array((differences * differences.T).evalf(), dtype=float)
    found = THEORY.times_covariance(np.eye(2))
    assert np.allclose(found, derived, rtol=0, atol=1e-14)
    from attlas.solver.channels.many_tokens.proximal import _CONVEX_BOUND

    assert 0 < float(unimodality_bound()) - _CONVEX_BOUND < 1e-4


@pytest.mark.parametrize("tokens", [2, 3])
@settings(max_examples=10, deadline=None)
@given(seed=st.integers(0, 10_000), at=points("beta", "beta0"))
def test_the_many_token_kernel_is_the_symbolic_loss_in_whitened_scores(tokens, seed, at) -> None:
    rng = np.random.default_rng(seed)
    softmax, reduced = Softmax(tokens), reduced_scores(tokens)
    assert reduced.dimension == softmax.label_rank
    zeta, zeta0 = rng.standard_normal((2, reduced.dimension))
    beta, beta0 = float(at["beta"]), float(at["beta0"])
    scores, teacher = reduced.rows @ zeta, reduced.rows @ zeta0
    kernel = SoftmaxLoss(softmax_rows(beta0 * teacher[:, :, None]), beta, reduced)
    prediction = kernel.predict(zeta[:, None])
    values = {"beta": beta, "beta0": beta0}
    for matrix, numbers in ((softmax.scores, scores), (softmax.teacher_scores, teacher)):
        for (i, j), symbol in zip(softmax.pairs, softmax.independent(matrix), strict=True):
            values[symbol.name] = float(numbers[i, j])
    assert kernel.value(prediction)[0] == pytest.approx(evaluate(softmax.loss, values), **CLOSE)
    in_scores = np.array([evaluate(entry, values) for entry in symbolic_gradient(tokens)])
    basis = np.array([reduced.rows[i, j] for i, j in softmax.pairs])
    assert np.allclose(kernel.gradient(prediction)[:, 0], basis.T @ in_scores, atol=1e-11)
    # Both bases are orthonormal in the same metric and blind to the same shift.
    inverse = np.diag(1 / np.array(softmax.metric, dtype=float))
    own = np.array(softmax.basis.evalf(30), dtype=float)
    rotation = own.T @ inverse @ basis
    assert np.allclose(rotation @ rotation.T, np.eye(reduced.dimension), atol=1e-12)


@cache
def symbolic_gradient(tokens: int) -> list[sp.Expr]:
    return list(Softmax(tokens).gradient())


@settings(max_examples=10, deadline=None)
@given(kappa0=RATIOS, delta=st.floats(0.2, 2))
def test_the_bayes_kernel_is_the_derived_overlap(kappa0, delta) -> None:
    law = target_law(Wishart(kappa0))
    rest, _ = BayesProblem(law, a=0.3, half_noise=0.1).remaining(delta)
    nodes = law.noisy(delta).nodes(tol=1e-13)
    cube = float(np.sum(nodes.w * nodes.rho**2))
    at = {"q0": 1 + kappa0, "q_hat": 1 / delta**2, "cube": cube}
    overlap = float(evaluate(bayes().equations["q"].rhs, at))
    assert float(1 + kappa0) - overlap == pytest.approx(delta**2 * rest, rel=1e-10)


@pytest.mark.parametrize(
    ("kappa0", "alpha", "noise", "beta0"),
    [("1/2", "1/10", "3/10", "1"), ("1/5", "1/20", "1/2", "3/2"), ("2", "1/8", "1", "1/2")],
)
def test_the_ridgeless_route_solves_the_derived_reduction(kappa0, alpha, noise, beta0) -> None:
    channel = SoftmaxChannel(tokens=2, beta0=beta0, noise=noise)
    problem = Problem(alpha=alpha, target=Wishart(kappa0), channel=channel, estimator=Factorised(0))
    found = solve(problem)
    law = exact_law(Fraction(kappa0), found.delta)
    at = {
        "delta": found.delta, "epsilon": found.epsilon, "beta": 1, "beta0": beta0,
        "J": law.J(found.epsilon), "J1": law.J1(found.epsilon), "J2": law.J2(found.epsilon),
    }  # fmt: skip
    labels = 1 + Fraction(kappa0) + Fraction(noise) / 2
    right = {"signal": labels, "samples": 2 * Fraction(alpha), "q": found.q, "m": found.m}
    for name, expected in right.items():
        value = evaluate(ridgeless().equations[name].rhs, at, "mpmath", 30)
        assert float(value) == pytest.approx(float(expected), rel=1e-8)
    if beta0 == "1":
        at |= {"a": 2 * Fraction(alpha), "noise": noise}
        value = evaluate(ridgeless().equations["mse"].rhs, at)
        assert float(value) == pytest.approx(found.mse, rel=1e-8)


@settings(max_examples=15, deadline=None)
@given(a=values("a"), mse=values("q"), noise=values("noise"))
def test_the_bayes_balance_is_the_derived_conjugate(a, mse, noise) -> None:
    """BayesProblem's excess vanishes where q_hat = 1/delta^2 satisfies the symbolic equation."""
    q_hat = evaluate(
        bayes().equations["q_hat"].rhs, {"a": a, "q0": 2, "q": 2 - mse, "noise": noise}
    )
    rest = float(mse) * float(q_hat) + float(noise) / 2 * float(q_hat)
    assert math.log(2 * float(a)) - math.log(rest) == pytest.approx(0, abs=1e-13)
