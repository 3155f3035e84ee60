"""Keys of ``solve`` that are not symbols of its equations; others print some of them, too."""

from __future__ import annotations

from attlas.symbolic.definition import Definition, gap
from attlas.symbolic.result_keys.key import ResultKey, theory

_SOLVED = ("solve", "simulate", "sweep", "phase")

KEYS = (
    ResultKey(
        "rank_fraction",
        (*_SOLVED, "spectrum"),
        "fraction of the learned map's eigenvalues that are not zero",
        "between 0 and 1",
        theory("6"),
        Definition(
            "1 − F(ε) = ∫_ε^∞ μ_δ(dx), μ_δ the law of S₀ + δZ",
            r"1 - F(\epsilon) = \int_\epsilon^\infty \mu_\delta(dx)",
        ),
    ),
    ResultKey(
        "train_error",
        _SOLVED,
        "mean squared label error on the training samples, summed over the label's entries",
        "0 or more",
        theory("6"),
        Definition(
            "E Σ_ab (y − softmax(β h*))²_ab, for T = 1 E (y − h*)², h* the trained scores",
            r"\mathbb{E}\sum_{ab}\bigl(y-\mathrm{softmax}(\beta h^*)\bigr)_{ab}^2",
        ),
    ),
    ResultKey(
        "test_error",
        (*_SOLVED, "spectrum", "decompose"),
        "mean squared error on fresh noisy labels; for T = 1, E (y - h)^2",
        "0 or more",
        theory("6"),
        gap(
            "Var z₀ = Q₀ + Δ/2, Var z = q, Cov = m (twice on the diagonal); "
            "for T = 1, 2(q − 2m + Q₀) + Δ",
            r"\mathrm{Var}\,z_0 = Q_0+\Delta/2",
        ),
    ),
    ResultKey(
        "test_error_clean",
        _SOLVED,
        "mean squared error on fresh labels without noise",
        "0 or more",
        theory("6"),
        gap(
            "Var z₀ = Q₀, Var z = q, Cov = m (twice on the diagonal); for T = 1, 2(q − 2m + Q₀)",
            r"\mathrm{Var}\,z_0 = Q_0",
        ),
    ),
    ResultKey(
        "test_error_plugin",
        _SOLVED,
        "test error of plugging the Bayes-optimal mean score into the softmax; not a lower bound "
        "on the test error",
        "at least test_error",
        theory("12"),
        gap("z = E[z₀ | ω], the posterior mean", r"z = \mathbb{E}[z_0\mid\omega]"),
    ),
    ResultKey(
        "loss",
        _SOLVED,
        "limit of the minimal loss per squared dimension, min L/d^2: the free energy at the "
        "solution",
        "0 or more",
        theory("3"),
        Definition(
            "lim E[min L]/d² = Φ, the value of the free energy at its stationary point",
            r"\lim_{d\to\infty}\mathbb{E}[\min L]/d^2 = \Phi",
        ),
    ),
    ResultKey(
        "replicon",
        _SOLVED,
        "stability of the solution: below 1 it is stable; the smooth part only, see "
        "multi_minima_weight",
        "0 or more",
        theory("10"),
        Definition(
            "R = 2α ⟨Tr C r′ C r′⟩ Σ̂⁻² ∫∫ [((x − ε)₊ − (y − ε)₊)/(x − y)]² μ_δ(dx) μ_δ(dy), "
            "r′ the Jacobian in ω of r = C⁻¹(h* − ω)/Σ, C the covariance of the scores",
            r"2\alpha\,\langle\mathrm{Tr}\,C r' C r'\rangle\,\hat\Sigma^{-2}\iint\Bigl[\frac{"
            r"(x-\epsilon)_+-(y-\epsilon)_+}{x-y}\Bigr]^2\mu_\delta(dx)\mu_\delta(dy)",
        ),
    ),
    ResultKey(
        "multi_minima_weight",
        _SOLVED,
        "share of samples whose proximal problem has two minima; zero where sigma beta^2 is below "
        "the unimodality bound",
        "between 0 and 1",
        theory("10"),
        Definition(
            "Pr[h ↦ ℓ(y, h) + Σ_{a≤b} (h_ab − ω_ab)²/(2Σ(1 + δ_ab)) has two minima]",
            r"\Pr\Bigl[h\mapsto\ell(y,h)+\sum_{a\le b}"
            r"\frac{(h_{ab}-\omega_{ab})^2}{2\Sigma(1+\delta_{ab})}\ "
            r"\text{has two minima}\Bigr]",
        ),
    ),
)
