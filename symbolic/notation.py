"""Every symbol of the theory, once: name, LaTeX, domain, typical range and meaning.

Documentation, LaTeX, MathML, messages and the random points of the tests all come from here.
An overlap and its conjugate (``q`` and ``q_hat``) are different symbols of different kinds.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from fractions import Fraction

import sympy as sp


class Kind(Enum):
    """What sort of quantity a symbol is."""

    PARAMETER = "parameter of the problem"
    OVERLAP = "order parameter"
    CONJUGATE = "conjugate order parameter"
    DENOISER = "parameter of the spectral denoiser"
    CHANNEL = "variable of the channel"
    FUNCTION = "value or derivative of a function in the free energy"
    SPECTRAL = "quantity of the spectral law"
    THRESHOLD = "critical value or auxiliary variable of a threshold"


@dataclass(frozen=True)
class Notation:
    """One symbol.

    Attributes
    ----------
    key : str
        Name in the code, on the command line and in JSON.
    symbol : sympy.Symbol
        The symbol used in every expression, with its assumptions.
    latex, text : str
        How it is typeset, and how it is written in plain Unicode text.
    domain : str
        Where it may lie, in words.
    typical : tuple of two Fractions
        A range inside the domain from which tests draw.
    meaning : str
    kind : Kind
    section : str
        Of docs/theory.md, where it is introduced.
    """

    key: str
    symbol: sp.Symbol
    latex: str
    text: str
    domain: str
    typical: tuple[Fraction, Fraction]
    meaning: str
    kind: Kind
    section: str


_REGISTRY: dict[str, Notation] = {}


def _define(
    key: str,
    latex: str,
    text: str,
    domain: str,
    typical: tuple[str, str],
    kind: Kind,
    section: str,
    meaning: str,
    **assumptions: bool,
) -> sp.Symbol:
    symbol = sp.Symbol(key, **(assumptions or {"real": True}))
    low, high = (Fraction(end) for end in typical)
    _REGISTRY[key] = Notation(key, symbol, latex, text, domain, (low, high), meaning, kind, section)
    return symbol


_P = Kind.PARAMETER
alpha = _define(
    "alpha", r"\alpha", "α", "alpha > 0", ("1/20", "2"), _P, "1",
    "samples per squared dimension, n/d^2", positive=True,
)  # fmt: skip
lam = _define(
    "lam", r"\lambda", "λ", "lam >= 0; 0 means the limit lam -> 0+", ("1/1000", "1/2"), _P, "1",
    "weight decay: the loss contains lam ||W||_F^2", positive=True,
)  # fmt: skip
kappa = _define(
    "kappa", r"\kappa", "κ", "kappa > 0", ("1/2", "2"), _P, "1",
    "width ratio p/d of the student", positive=True,
)  # fmt: skip
lam_tilde = _define(
    "lam_tilde", r"\tilde\lambda", "λ̃", "lam_tilde >= 0", ("1/1000", "1/2"), _P, "1",
    "sqrt(kappa) lam, the coefficient of d Tr S in the loss", positive=True,
)  # fmt: skip
lam_f = _define(
    "lam_f", r"\lambda_F", "λ_F", "lam_f >= 0", ("1/1000", "1/2"), _P, "11",
    "Frobenius penalty of direct training: the loss contains d (lam_f/2) ||S||_F^2",
    positive=True,
)  # fmt: skip
kappa0 = _define(
    "kappa0", r"\kappa_0", "κ₀", "kappa0 > 0", ("1/10", "9/10"), _P, "1",
    "rank ratio p0/d of the teacher", positive=True,
)  # fmt: skip
tokens = _define(
    "tokens", "T", "T", "whole number, 1 (linear channel) or more", ("1", "4"), _P, "1",
    "number of tokens in a sequence", positive=True, integer=True,
)  # fmt: skip
beta = _define(
    "beta", r"\beta", "β", "beta > 0", ("1/2", "2"), _P, "1",
    "inverse temperature of the student's softmax", positive=True,
)  # fmt: skip
beta0 = _define(
    "beta0", r"\beta_0", "β₀", "beta0 > 0", ("1/2", "2"), _P, "1",
    "inverse temperature of the teacher's softmax", positive=True,
)  # fmt: skip
noise = _define(
    "noise", r"\Delta", "Δ", "noise >= 0", ("1/10", "2"), _P, "1",
    "label noise added to the teacher's scores: variance noise/2 off the diagonal, noise on it",
    nonnegative=True,
)  # fmt: skip
q0 = _define(
    "q0", "Q_0", "Q₀", "q0 > 0; 1 + kappa0 for the Wishart target", ("11/10", "2"), _P, "1",
    "Tr S0^2/d, the signal's strength", positive=True,
)  # fmt: skip
q_label = _define(
    "q_label", "Q", "Q", "q_label >= q0", ("11/10", "3"), _P, "3",
    "q0 + noise/2, the strength of the scores behind the labels", positive=True,
)  # fmt: skip
label_rank = _define(
    "label_rank", "D", "D", "whole number, 1 or more", ("1", "9"), _P, "4",
    "(T^2 + T - 2)/2 for softmax, 1 for T = 1: combinations of scores that a label sees",
    positive=True,
)  # fmt: skip

_O = Kind.OVERLAP
q = _define(
    "q", "q", "q", "q >= 0", ("1/2", "2"), _O, "3",
    "Tr S^2/d, the norm of the learned map", positive=True,
)  # fmt: skip
m = _define(
    "m", "m", "m", "m^2 <= q q0", ("1/10", "6/10"), _O, "3",
    "Tr S S0/d, the overlap of the learned map with the teacher", real=True,
)  # fmt: skip
sigma = _define(
    "sigma", r"\Sigma", "Σ", "sigma > 0", ("1/4", "10"), _O, "3",
    "proximal (Onsager) variance: how far a score still moves when its own sample is refitted",
    positive=True,
)  # fmt: skip

_C = Kind.CONJUGATE
q_hat = _define(
    "q_hat", r"\hat q", "q̂", "q_hat > 0", ("1/10", "2"), _C, "3",
    "conjugate to sigma: variance of the noise on the matrix side", positive=True,
)  # fmt: skip
m_hat = _define(
    "m_hat", r"\hat m", "m̂", "m_hat > 0", ("1/2", "2"), _C, "3",
    "conjugate to m: strength of the signal on the matrix side", positive=True,
)  # fmt: skip
sigma_hat = _define(
    "sigma_hat", r"\hat\Sigma", "Σ̂", "sigma_hat > 0", ("1/2", "2"), _C, "3",
    "conjugate to q: curvature of the effective matrix problem", positive=True,
)  # fmt: skip

_D = Kind.DENOISER
eta = _define(
    "eta", r"\eta", "η", "eta > 0", ("1/2", "2"), _D, "3",
    "scale of the learned spectrum, m_hat/sigma_hat", positive=True,
)  # fmt: skip
delta = _define(
    "delta", r"\delta", "δ", "delta > 0", ("3/10", "2"), _D, "3",
    "noise level: the learned map is a function of S0 + delta Z, sqrt(q_hat)/m_hat",
    positive=True,
)  # fmt: skip
epsilon = _define(
    "epsilon", r"\epsilon", "ε", "epsilon >= 0", ("1/10", "8/10"), _D, "3",
    "threshold of the spectral denoiser, 2 lam_tilde/m_hat", nonnegative=True,
)  # fmt: skip
curvature = _define(
    "curvature", r"\hat s", "ŝ", "curvature > 0", ("1/2", "2"), _D, "11",
    "curvature of the matrix problem, penalty included (sigma_hat + 2 lam_f for direct training)",
    positive=True,
)  # fmt: skip
omega_cut = _define(
    "omega_cut", r"\omega_\kappa", "ω_κ", "real", ("1/10", "1"), _D, "13b",
    "point of the spectrum of S0 + delta Z with mass kappa above it (width-limited student)",
    real=True,
)  # fmt: skip

_F = Kind.FUNCTION
J = _define(
    "J", "J", "J", "J >= 0", ("1/2", "2"), _F, "3",
    "integral of (x - epsilon)^2 above epsilon under the law of S0 + delta Z", positive=True,
)  # fmt: skip
J1 = _define(
    "J1", "J_1", "J₁", "J1 >= 0", ("1/2", "2"), _F, "3", "derivative of J in delta", positive=True
)  # fmt: skip
J2 = _define(
    "J2", "J_2", "J₂", "J2 <= 0", ("-2", "-1/2"), _F, "3", "derivative of J in epsilon", real=True
)  # fmt: skip
M_value = _define(
    "M", "M", "M", "M >= 0", ("1/10", "1"), _F, "3",
    "mean Moreau envelope of the loss: the sample side of the free energy", nonnegative=True,
)  # fmt: skip
M_sigma = _define(
    "M_sigma", r"\frac{\partial M}{\partial\Sigma}", "∂M/∂Σ", "M_sigma <= 0", ("-1", "-1/10"),
    _F, "3",
    "derivative of M in sigma", real=True,
)  # fmt: skip
M_m = _define(
    "M_m", r"\frac{\partial M}{\partial m}", "∂M/∂m", "M_m <= 0", ("-1", "-1/10"), _F, "3",
    "derivative of M in m", real=True,
)  # fmt: skip
M_q = _define(
    "M_q", r"\frac{\partial M}{\partial q}", "∂M/∂q", "real", ("1/10", "1"), _F, "3",
    "derivative of M in q", real=True,
)  # fmt: skip
phi = _define(
    "phi", r"\Phi", "Φ", "phi >= 0", ("0", "1"), _F, "3",
    "free energy: the limit of min L/d^2, the loss per squared dimension", real=True,
)  # fmt: skip

_S = Kind.SPECTRAL
x = _define(
    "x", "x", "x", "real", ("1/10", "3"), _S, "5", "an eigenvalue of S0 + delta Z", real=True
)  # fmt: skip
z = _define(
    "z", "z", "z", "complex", ("3", "6"), _S, "5", "argument of a Stieltjes transform"
)  # fmt: skip
g = _define(
    "g", "g", "g", "Im g <= 0", ("1/10", "1"), _S, "5",
    "value of the Stieltjes transform of the law of S0 + delta Z", complex=True,
)  # fmt: skip
u = _define(
    "u", "u", "u", "complex", ("1/10", "1"), _S, "9",
    "parameter of the rational curve (z(u), G(u)) of a target", complex=True,
)  # fmt: skip
t = _define(
    "t", "t", "t", "t > 0", ("1/10", "2"), _S, "5", "delta^2, time of the free convolution",
    positive=True,
)  # fmt: skip
s = _define(
    "s", "s", "s", "s > 0", ("3/10", "1"), _S, "5", "sqrt(kappa0)", positive=True
)  # fmt: skip
mass_above = _define(
    "mass_above", r"1-F(\epsilon)", "1 − F(ε)", "between 0 and 1", ("1/10", "9/10"), _S, "9",
    "mass of the law of S0 + delta Z above epsilon: the rank fraction of the learned map",
    nonnegative=True,
)  # fmt: skip
theta_spike = _define(
    "theta_spike", r"\vartheta", "ϑ", "theta_spike > 0", ("1", "3"), _S, "9",
    "strength of a spike (an isolated eigenvalue of S0)", positive=True,
)  # fmt: skip
x_top = _define(
    "x_top", r"x_{\mathrm{top}}", "x_top", "x_top > 0", ("2", "6"), _S, "9",
    "top edge of the law of S0 + delta Z", positive=True,
)  # fmt: skip

_T = Kind.THRESHOLD
a = _define(
    "a", "a", "a", "a > 0", ("1/20", "1/2"), _T, "7",
    "alpha D, samples counted in combinations of scores", positive=True,
)  # fmt: skip
a_int = _define(
    "a_int", r"a_{\mathrm{int}}", "a_int", "between 1/4 and 1/2 for noise > 0", ("1/4", "1/2"),
    _T, "7", "interpolation threshold in a = alpha D", positive=True,
)  # fmt: skip
a_perf = _define(
    "a_perf", r"a_{\mathrm{perf}}", "a_perf", "between 0 and 1/2", ("1/10", "1/2"), _T, "7",
    "perfect-recovery threshold in a = alpha D", positive=True,
)  # fmt: skip
a_bo = _define(
    "a_bo", r"a_{\mathrm{BO}}", "a_BO", "between 0 and 1/2", ("1/10", "1/2"), _T, "7",
    "Bayes-optimal recovery threshold in a = alpha D", positive=True,
)  # fmt: skip
a_sep = _define(
    "a_sep", r"a_{\mathrm{sep}}", "a_sep", "a_sep > 0", ("1/2", "3"), _T, "18",
    "separability threshold in a = alpha D", positive=True,
)  # fmt: skip
aligned = _define(
    "aligned", r"\rho", "ρ", "-1 < rho < 1", ("1/10", "9/10"), _T, "18",
    "m/sqrt(Q q), alignment of the scores with those behind the labels",
)  # fmt: skip
far = _define(
    "far", r"\mathcal{D}", "𝒟", "> 0", ("1/10", "1"), _T, "18",
    "mean squared distance, over scores of q = 1 and over labels, to the scores that put the "
    "label first", positive=True,
)  # fmt: skip
far_slope = _define(
    "far_slope", r"\mathcal{D}'", "𝒟'", "< 0", ("-2", "-1/10"), _T, "18",
    "derivative of the mean squared distance in the alignment",
)  # fmt: skip
tau = _define(
    "tau", r"\tau", "τ", "tau >= 0", ("1/10", "1"), _T, "7",
    "epsilon/delta at perfect recovery", nonnegative=True,
)  # fmt: skip
theta = _define(
    "theta", r"\theta", "θ", "0 < theta < pi/2", ("1/4", "5/4"), _T, "7",
    "angle that parametrises the perfect-recovery threshold", positive=True,
)  # fmt: skip
v = _define(
    "v", "v", "v", "v > 0", ("1/10", "1"), _T, "7", "variance of a semicircle", positive=True
)  # fmt: skip
w = _define(
    "w", "w", "w", "0 < w < 1", ("1/10", "9/10"), _T, "7", "1 - kappa0", positive=True
)  # fmt: skip
zeta = _define(
    "zeta", r"\zeta", "ζ", "zeta > 0", ("1/10", "1"), _T, "7",
    "(15 pi kappa0/2)^(1/5), the small-rank expansion variable", positive=True,
)  # fmt: skip
delta_c = _define(
    "delta_c", r"\delta_c", "δ_c", "delta_c >= 0", ("0", "1"), _T, "7",
    "noise level just below the jump to recovery, for kappa0 > 1", nonnegative=True,
)  # fmt: skip
delta_r = _define(
    "delta_r", r"\hat\delta", "δ̂", "0 < delta_r", ("1/10", "9/10"), _T, "9",
    "sqrt(kappa0) delta in the small-rank limit", positive=True,
)  # fmt: skip
epsilon_r = _define(
    "epsilon_r", r"\hat\epsilon", "ε̂", "epsilon_r >= 2 delta_r", ("1/5", "2"), _T, "9",
    "sqrt(kappa0) epsilon in the small-rank limit", positive=True,
)  # fmt: skip
alpha_r = _define(
    "alpha_r", r"\hat\alpha", "α̂", "alpha_r > 0", ("1/10", "3"), _T, "9",
    "alpha/kappa0 in the small-rank limit", positive=True,
)  # fmt: skip
bulk = _define(
    "bulk", "b", "b", "bulk >= 0", ("0", "1"), _T, "9",
    "multiplier of the noise bulk in the small-rank limit", nonnegative=True,
)  # fmt: skip
outlier = _define(
    "outlier", "B", "B", "outlier >= 0", ("0", "1"), _T, "9",
    "height of the outlier above the threshold in the small-rank limit", nonnegative=True,
)  # fmt: skip


_K = Kind.CHANNEL
spread = _define(
    "spread", r"\sigma_\omega", "σ_ω", "spread >= 0", ("1/10", "1"), _K, "3",
    "sqrt(q - m^2/Q): the part of a score's deviation that the label does not share",
    positive=True,
)  # fmt: skip
pair_weight = _define(
    "pair_weight", r"(1+\delta_{ab})", "(1+δ_ab)", "1 off the diagonal, 2 on it", ("1", "2"),
    _K, "1",
    "variance of a score relative to an off-diagonal one", positive=True,
)  # fmt: skip
g_ab = _define(
    "g_ab", "g_{ab}", "g_ab", "real", ("-1", "1"), _K, "3",
    "(h* - omega)_ab/(sigma (1 + delta_ab)), the pull of one sample on a score", real=True,
)  # fmt: skip
a_ab = _define(
    "a_ab", "a_{ab}", "a_ab", "real, variance 1 + delta_ab", ("-2", "2"), _K, "3",
    "the Gaussian variable of the label: z0 = sqrt(Q) a", real=True,
)  # fmt: skip
b_ab = _define(
    "b_ab", "b_{ab}", "b_ab", "real, variance 1 + delta_ab", ("-2", "2"), _K, "3",
    "the Gaussian variable of the student alone: omega = (m/sqrt(Q)) a + sigma_omega b",
    real=True,
)  # fmt: skip
dg_dz = _define(
    "dg_dz", r"\frac{\partial g_{ab}}{\partial z_{0,ab}}", "∂g_ab/∂z₀_ab", "real", ("-1", "1"),
    _K, "3",
    "response of g_ab to its own label score", real=True,
)  # fmt: skip
dg_domega = _define(
    "dg_domega", r"\frac{\partial g_{ab}}{\partial\omega_{ab}}", "∂g_ab/∂ω_ab", "real",
    ("-1", "1"), _K, "3", "response of g_ab to its own field", real=True,
)  # fmt: skip

learned = _define(
    "learned", r"\hat x", "x̂", "learned >= 0 for positive maps", ("1/10", "3"), _D, "6",
    "eigenvalue of the learned map that an eigenvalue x of S0 + delta Z becomes", real=True,
)  # fmt: skip
nuclear = _define(
    "nuclear", r"\|S\|_*/d", "‖S‖*/d", "nuclear >= 0", ("1/10", "3"), _D, "2",
    "sum of the singular values of the learned map over d; Tr S/d for positive maps",
    nonnegative=True,
)  # fmt: skip
decay = _define(
    "decay", r"\|W\|_F^2/d^2", "‖W‖²/d²", "decay >= 0", ("1/10", "3"), _D, "2",
    "squared norm of the factor over d^2, what weight decay charges for; of untied factors the "
    "mean of both", nonnegative=True,
)  # fmt: skip
left_norm = _define(
    "left_norm", r"\|u\|", "‖u‖", "left_norm >= 0", ("1/10", "3"), _D, "2",
    "length of a column of the left factor U of an untied map U V^T", nonnegative=True,
)  # fmt: skip
right_norm = _define(
    "right_norm", r"\|v\|", "‖v‖", "right_norm >= 0", ("1/10", "3"), _D, "2",
    "length of the column of the right factor V beside it", nonnegative=True,
)  # fmt: skip
spike_overlap = _define(
    "spike_overlap", r"\langle v, v_0\rangle^2", "⟨v,v₀⟩²", "between 0 and 1", ("1/10", "9/10"),
    _S, "9",
    "squared overlap of an outlier's eigenvector with the spike's", nonnegative=True,
)  # fmt: skip

mse = _define(
    "mse", r"\mathrm{mse}", "mse", "mse >= 0", ("0", "2"), Kind.OVERLAP, "6",
    "squared error of the learned map, ||S - S0||_F^2/d = q - 2m + q0", real=True,
)  # fmt: skip
misfit = _define(
    "misfit", r"\mathcal V", "𝒱", "misfit >= 0", ("1/10", "2"), Kind.FUNCTION, "7",
    "mean squared distance from omega to the scores that fit the label, per combination",
    real=True,
)  # fmt: skip
cube = _define(
    "cube", r"{\textstyle\int\!\rho^3}", "∫ρ³", "cube > 0", ("1/10", "1"), _S, "12",
    "integral of the cubed density of S0 + delta Z", positive=True,
)  # fmt: skip
excess_1 = _define(
    "excess_1", r"I_1", "I₁", "excess_1 >= 0", ("1/10", "1"), _T, "7",
    "integral of (x - tau) above tau under the semicircle of variance 1 - kappa0", positive=True,
)  # fmt: skip
excess_2 = _define(
    "excess_2", r"I_2", "I₂", "excess_2 >= 0", ("1/10", "1"), _T, "7",
    "integral of (x - tau)^2 above tau under the semicircle of variance 1 - kappa0",
    positive=True,
)  # fmt: skip
mean_size = _define(
    "mean_size", r"\bar s", "s̄", "mean_size > 0", ("1/10", "1"), _S, "19",
    "mean singular value of S0", positive=True,
)  # fmt: skip
third = _define(
    "third", r"E_3", "E₃", "real", ("-1", "-1/10"), _T, "7",
    "coefficient of delta^3 in J(delta, tau delta)", real=True,
)  # fmt: skip


def notation(key: str) -> Notation:
    """The entry of one symbol.

    Raises
    ------
    KeyError
        If no symbol has this name.
    """
    return _REGISTRY[key]


def notations() -> tuple[Notation, ...]:
    """All symbols, in the order of definition."""
    return tuple(_REGISTRY.values())


def of_symbol(symbol: sp.Symbol) -> Notation | None:
    """The entry behind a sympy symbol, or None for a symbol local to one derivation."""
    entry = _REGISTRY.get(symbol.name)
    return entry if entry is not None and entry.symbol == symbol else None
