# sympy's own annotations are narrower than what its functions return.
# pyright: reportArgumentType=false, reportAttributeAccessIssue=false, reportCallIssue=false
# pyright: reportOperatorIssue=false
"""Learning in time: the population gradient flow from e(q, m), its modes, escapes and powers."""

from __future__ import annotations

from functools import cache

import sympy as sp

from attlas.symbolic import notation as sym
from attlas.symbolic.derivation import Derivation, Step, exactly
from attlas.symbolic.functions import Asymptotically

t, s, sigma0, c = sp.symbols("t s sigma_0 c", positive=True)
#: Slopes of the population loss, and the loss's growth since the start.
e_q, e_m, B, N, x = sp.symbols("e_q e_m B N x", real=True)
u0, u = sp.symbols("u_0 u", real=True)
gamma, d, level, n, compute = sp.symbols("gamma d s_* n C", positive=True)
_A, _A2, _share = sp.symbols("A_n A_t a", positive=True)


_F, _MEAN = sp.Function("f"), sp.Function("E")


def _logistic(argument: sp.Expr) -> sp.Expr:
    return 1 / (1 + sp.exp(-argument))


#: Loss of two tokens as a function of one pair of score differences: both pairs have this mean.
TWO_TOKENS: sp.Expr = 4 * (_logistic(sym.beta0 * u0) - _logistic(sym.beta * u)) ** 2
#: What its slopes are means of, (u_0, u) normal with covariance 3 [[Q, m], [m, q]].
TWO_TOKEN_SLOPES: tuple[sp.Expr, sp.Expr] = (
    sp.Rational(3, 2) * sp.diff(TWO_TOKENS, u, 2),
    3 * sp.diff(TWO_TOKENS, u0, u),
)
#: A mode after time: E = exp(B s - c t).
_E = sp.exp(B * s - c * t)
MODE: sp.Expr = _E**2 / (1 / sigma0 + N)
REST: sp.Expr = -(e_m * s + c) / (2 * e_q)
#: Time of the escape at slopes that stand still.
ESCAPE: sp.Expr = sp.log(REST / sigma0 - 1) / (-2 * (e_m * s + c))
#: Squared error of a power law when modes above s_* are learned, and its exponent in time.
EXPONENT: sp.Expr = 2 - 1 / gamma
POWER: sp.Expr = (level / sp.sqrt(d)) ** EXPONENT / (2 * gamma - 1)


def _flow_difference() -> sp.Expr:
    """-(d/2) dL/dW at d = 2, put into dS/dt, minus the matrix Riccati equation."""
    w = sp.Matrix(2, 2, sp.symbols("w:4"))
    target = sp.Matrix(2, 2, lambda i, j: sp.Symbol(f"s{min(i, j)}{max(i, j)}"))
    learned = w * w.T
    loss = sum(
        slope * part.trace() / 2
        for slope, part in ((e_q, learned * learned), (e_m, learned * target), (c, learned))
    )
    speed = w.applyfunc(lambda entry: -sp.diff(loss, entry))
    change = speed * w.T + w * speed.T
    riccati = -4 * e_q * learned**2 - e_m * (target * learned + learned * target) - 2 * c * learned
    return _squares(change - riccati)


def _mode_difference() -> sp.Expr:
    grown, drawn = sp.Function("B")(t), sp.Function("N")(t)
    moving = MODE.subs({B: grown, N: drawn})
    rates = {
        sp.diff(grown, t): -e_m,
        sp.diff(drawn, t): 4 * e_q * sp.exp(2 * (grown * s - c * t)),
    }
    speed = sp.diff(moving, t).subs(rates)
    return speed + 4 * e_q * moving**2 + 2 * (e_m * s + c) * moving


def _conserved_difference() -> sp.Expr:
    """Rate of E S^-1 E - N for a map that does not commute with the target, at d = 2."""
    a, b, f, first, second, s1, s2 = sp.symbols("a b f E_1 E_2 s_1 s_2")
    learned, target, grown = sp.Matrix([[a, f], [f, b]]), sp.diag(s1, s2), sp.diag(first, second)
    inverse = learned.inv()
    speed = -4 * e_q * learned**2 - e_m * (target * learned + learned * target) - 2 * c * learned
    growth = -(e_m * target + c * sp.eye(2)) * grown
    rate = growth * inverse * grown + grown * inverse * growth
    return _squares(rate - grown * inverse * speed * inverse * grown - 4 * e_q * grown**2)


def _squares(matrix: sp.Matrix) -> sp.Expr:
    return sp.Add(*(sp.cancel(entry) ** 2 for entry in matrix))


def _parts_difference() -> sp.Expr:
    """Derivatives of the mean of exp(k0 u0 + k u), which such functions span, in m and in q."""
    k0, k, variance = sp.symbols("k_0 k v")
    mean = sp.exp(variance * (sym.q0 * k0**2 / 2 + sym.m * k0 * k + sym.q * k**2 / 2))
    in_m = sp.diff(mean, sym.m) - variance * k0 * k * mean
    in_q = sp.diff(mean, sym.q) - variance * k**2 * mean / 2
    return sp.simplify(in_m) ** 2 + sp.simplify(in_q) ** 2


def _two_token_difference() -> sp.Expr:
    """The formulas with s', s'' minus the second derivatives."""
    z = sp.Symbol("z")
    first, second = sp.diff(_logistic(z), z), sp.diff(_logistic(z), z, 2)
    student, label = sym.beta * u, sym.beta0 * u0
    miss = _logistic(label) - _logistic(student)
    in_q = 12 * sym.beta**2 * (first.subs(z, student) ** 2 - miss * second.subs(z, student))
    in_m = -24 * sym.beta * sym.beta0 * first.subs(z, label) * first.subs(z, student)
    return (
        sp.simplify(in_q - TWO_TOKEN_SLOPES[0]) ** 2 + sp.simplify(in_m - TWO_TOKEN_SLOPES[1]) ** 2
    )


def _escape_difference() -> sp.Expr:
    """The logistic curve at its escape, minus half of where it rests."""
    growth = -(e_m * s + c)
    square = REST / sigma0 - 1  # E^2 there
    drawn = 4 * e_q * (square - 1) / (2 * growth)
    return sp.simplify(square / (1 / sigma0 + drawn) - REST / 2)


def _power_difference() -> sp.Expr:
    """The sum over unlearned modes as an integral, gamma = 1/2 + steep, over the power; minus 1."""
    index, steep = sp.symbols("i steep", positive=True)
    exponent = sp.Rational(1, 2) + steep
    first = (sp.sqrt(d) / level) ** (1 / exponent)
    below = -(index ** (1 - 2 * exponent)) / (2 * exponent - 1)  # 0 at infinity
    ratio = sp.powdenest(-below.subs(index, first) / POWER.subs(gamma, exponent), force=True)
    return sp.simplify(sp.diff(below, index) - index ** (-2 * exponent)) ** 2 + sp.expand(
        sp.expand_log(sp.log(ratio), force=True)
    )


def _shift_difference() -> sp.Expr:
    """The squared step 1/(1 + e^v)^2 falls at v = -1 in the mean: 1 - f below plus - f above."""
    v = sp.Symbol("v", positive=True)
    step = 1 / (1 + sp.exp(v)) ** 2
    below = 1 - 1 / (1 + sp.exp(-v)) ** 2
    return sp.simplify(sp.integrate(sp.simplify(below - step).rewrite(sp.exp), (v, 0, sp.oo)) - 1)


def _compute_difference() -> sp.Expr:
    """Slope in n of A_n n^-a + A_t (C/n)^-2a at n = (A_n/(2 A_t))^(1/3a) C^(2/3)."""
    total = _A * n**-_share + _A2 * (compute / n) ** (-2 * _share)
    best = (_A / (2 * _A2)) ** (1 / (3 * _share)) * compute ** sp.Rational(2, 3)
    return sp.simplify(
        sp.powsimp(sp.expand_power_base(sp.diff(total, n).subs(n, best)), force=True)
    )


@cache
def dynamics() -> Derivation:
    """The population flow (theory.md section 20)."""
    flow = "dS/dt = -4 e_q S^2 - e_m (S0 S + S S0) - 2 c S"
    equations: dict[str, sp.Basic] = {
        "mode": sp.Eq(x, MODE, evaluate=False),
        "rest": sp.Eq(sp.Symbol("x_rest"), REST, evaluate=False),
        "escape": Asymptotically(sp.Symbol("t_escape"), ESCAPE, evaluate=False),
        "loss": sp.Eq(_F(u0, u), TWO_TOKENS, evaluate=False),
        "slope-q": sp.Eq(e_q, _MEAN(3 * sp.Derivative(_F(u0, u), (u, 2)) / 2), evaluate=False),
        "slope-m": sp.Eq(e_m, _MEAN(3 * sp.Derivative(_F(u0, u), u0, u)), evaluate=False),
        "power-law": Asymptotically(sym.mse, POWER, evaluate=False),
    }
    return Derivation(
        key="dynamics",
        title="Learning in time: the population gradient flow",
        statement=(
            "Gradient flow of W on e(q, m) + c Tr S/d is a matrix Riccati equation of S = W W^T. "
            "From S = sigma_0 I each eigenvalue s of S0 has its own mode, E = exp(B s - c t); all "
            "are coupled through B = -int e_m dt and N = int 4 e_q E^2 dt alone, where q = <x^2> "
            "and m = <x s>. Slopes are for two tokens; one token has e_q = 2, e_m = -4."
        ),
        equations=equations,
        assumptions=(
            "infinitely many samples; scores are Gaussian",
            "S starts at a multiple of the identity: the width is d or more",
            "escape: q and m stand still while a mode escapes",
            "power law: no weight decay, and s_* = log(s_*/sigma_0)/(2 B) far from all ends",
            "compute: the errors of too few samples and of too little time add",
        ),
        steps=(
            Step(
                "dW/dt = -(d/2) d/dW [e(q, m) + c Tr S/d]",
                "q = Tr S^2/d, m = Tr S S0/d, and S = W W^T moves with W",
                flow,
                exactly(_flow_difference, "identical for a general 2 x 2 factor"),
            ),
            Step(
                flow,
                "E = exp(B S0 - c t) takes the growth out; what is left of S^-1 grows as 4 e_q E^2",
                "E S^-1 E - N does not change",
                exactly(_conserved_difference, "for a map that does not commute with S0"),
            ),
            Step(
                "S = sigma_0 I at t = 0",
                "S and S0 commute: each eigenvalue follows for itself",
                equations["mode"],
                exactly(_mode_difference, "the mode solves the flow"),
            ),
            Step(
                "e = mean of f(z0, z), covariance (1 + delta_ab) [[Q, m], [m, q]]",
                "Gaussian integration by parts",
                "e_m = sum (1 + delta_ab) E f_(z0 z), e_q = sum (1 + delta_ab) E f_(z z)/2",
                exactly(_parts_difference, "for all exponentials, which span the functions"),
            ),
            Step(
                equations["loss"],
                "two tokens: 1 + delta_ab adds up to 3 for a difference of scores",
                "f_(u u) = 8 beta^2 (s'^2 - (s0 - s) s''), f_(u0 u) = -8 beta beta0 s0' s'",
                exactly(_two_token_difference, "with the factors 3/2 and 3"),
            ),
            Step(
                "e_q and e_m stand still",
                "the mode is a logistic curve; it turns at half of where it rests",
                equations["escape"],
                exactly(_escape_difference),
            ),
            Step(
                "modes below s_* = log(s_*/sigma_0)/(2 B) are not learned",
                "their sum as an integral from i_* = (sqrt(d)/s_*)^(1/gamma)",
                equations["power-law"],
                exactly(_power_difference),
            ),
            Step(
                "(1 - x/s)^2 = 1/(1 + e^v)^2 around s_*",
                "it falls one unit of v early: s_* is lowered by s_*/log(s_*/sigma_0)",
                "mse (1 - (2 - 1/gamma)/L), L = log(s_*/sigma_0)",
                exactly(_shift_difference),
            ),
            Step(
                "A_n n^-a + A_t t^-2a at C = n t",
                "the exponent in time is twice that in n",
                "n ~ C^(2/3), t ~ C^(1/3), error ~ C^(-2a/3)",
                exactly(_compute_difference),
            ),
        ),
        source="section 20",
    )
