"""Definitions that are means, integrals or limits: as Unicode text and as LaTeX."""

from __future__ import annotations

from attlas.model.result_key import Definition

_LAW_TEXT = "μ_δ the law of S₀ + δZ"
#: Of symbols; the others have an equation.
DEFINITIONS: dict[str, Definition] = {
    "alpha": Definition("α = n/d², n samples", r"\alpha = n/d^2"),
    "lam": Definition(
        "loss L(W) = Σ_μ Σ_ab (y − softmax(β h(S)))²_ab + λ‖W‖²_F",
        r"L(W) = \sum_\mu\sum_{ab}\bigl(y-\mathrm{softmax}(\beta h(S))\bigr)_{ab}^2"
        r"+\lambda\|W\|_F^2",
    ),
    "kappa": Definition(
        "κ = p/d, S = WWᵀ/√(pd), W of size d × p",
        r"\kappa = p/d,\quad S = WW^\top/\sqrt{pd},\quad W\in\mathbb{R}^{d\times p}",
    ),
    "kappa0": Definition(
        "κ₀ = p₀/d, S₀ = W₀W₀ᵀ/√(p₀d), W₀ of size d × p₀",
        r"\kappa_0 = p_0/d,\quad S_0 = W_0W_0^\top/\sqrt{p_0d},\quad "
        r"W_0\in\mathbb{R}^{d\times p_0}",
    ),
    "lam_f": Definition(
        "loss L(S) = Σ_μ Σ_ab (y − softmax(β h(S)))²_ab + d (λ_F/2) ‖S‖²_F",
        r"L(S) = \sum_\mu\sum_{ab}\bigl(y-\mathrm{softmax}(\beta h(S))\bigr)_{ab}^2"
        r"+\tfrac{d\lambda_F}{2}\|S\|_F^2",
    ),
    "tokens": Definition(
        "one sequence x of T tokens, a T × d matrix of independent N(0, 1)",
        r"x\in\mathbb{R}^{T\times d}",
    ),
    "beta": Definition("output softmax(β h(S))", r"\mathrm{softmax}(\beta h(S))"),
    "beta0": Definition("label y = softmax(β₀ z₀)", r"y = \mathrm{softmax}(\beta_0 z_0)"),
    "noise": Definition(
        "z₀ = h(S₀) + √Δ ξ, ξ symmetric with variance 1/2 off the diagonal and 1 on it",
        r"z_0 = h(S_0) + \sqrt{\Delta}\,\xi,\quad \mathrm{Var}\,\xi_{ab} = 1/(2-\delta_{ab})",
    ),
    "q0": Definition("Q₀ = Tr S₀²/d", r"Q_0 = \mathrm{Tr}\,S_0^2/d"),
    "q": Definition(
        "q = Tr S²/d, S the minimiser, d → ∞", r"q = \lim_{d\to\infty}\mathrm{Tr}\,S^2/d"
    ),
    "m": Definition("m = Tr S S₀/d, d → ∞", r"m = \lim_{d\to\infty}\mathrm{Tr}\,SS_0/d"),
    "mse": Definition("mse = ‖S − S₀‖²_F/d", r"\mathrm{mse} = \|S-S_0\|_F^2/d"),
    "phi": Definition("Φ = lim E[min L]/d²", r"\Phi = \lim_{d\to\infty}\mathbb{E}[\min L]/d^2"),
    "J": Definition(
        f"J = ∫_ε^∞ (x − ε)² μ_δ(dx), {_LAW_TEXT}",
        r"J = \int_\epsilon^\infty (x-\epsilon)^2\,\mu_\delta(dx)",
    ),
    "J1": Definition("J₁ = ∂J/∂δ", r"J_1 = \partial J/\partial\delta"),
    "J2": Definition(
        "J₂ = ∂J/∂ε = −2 ∫_ε^∞ (x − ε) μ_δ(dx)",
        r"J_2 = \partial J/\partial\epsilon = -2\int_\epsilon^\infty (x-\epsilon)\,\mu_\delta(dx)",
    ),
    "M": Definition(
        "M = E min_h { ℓ(y, h) + Σ_{a≤b} (h_ab − ω_ab)²/(2Σ(1 + δ_ab)) }",
        r"M = \mathbb{E}\min_h\Bigl[\ell(y,h)+\sum_{a\le b}"
        r"\frac{(h_{ab}-\omega_{ab})^2}{2\Sigma(1+\delta_{ab})}\Bigr]",
    ),
    "M_sigma": Definition(
        "∂M/∂Σ = −E Σ_{a≤b} (1 + δ_ab) g_ab²/2",
        r"\frac{\partial M}{\partial\Sigma} = "
        r"-\tfrac12\mathbb{E}\sum_{a\le b}(1+\delta_{ab})g_{ab}^2",
    ),
    "M_m": Definition(
        "∂M/∂m = −E Σ_{a≤b} (1 + δ_ab) ∂g_ab/∂z₀_ab",
        r"\frac{\partial M}{\partial m} = -\mathbb{E}\sum_{a\le b}(1+\delta_{ab})"
        r"\frac{\partial g_{ab}}{\partial z_{0,ab}}",
    ),
    "M_q": Definition(
        "∂M/∂q = −E Σ_{a≤b} (1 + δ_ab) ∂g_ab/∂ω_ab/2",
        r"\frac{\partial M}{\partial q} = -\tfrac12\mathbb{E}\sum_{a\le b}(1+\delta_{ab})"
        r"\frac{\partial g_{ab}}{\partial\omega_{ab}}",
    ),
    "misfit": Definition(
        "𝒱 = lim 2Σ M/D, Σ → ∞ below interpolation",
        r"\mathcal V = \lim_{\Sigma\to\infty} 2\Sigma M/D",
    ),
    "pair_weight": Definition(
        "1 + δ_ab = Var z_ab/Var z_cd, c ≠ d",
        r"1+\delta_{ab} = \mathrm{Var}\,z_{ab}/\mathrm{Var}\,z_{cd},\quad c\ne d",
    ),
    "g_ab": Definition(
        "g_ab = (h* − ω)_ab/(Σ(1 + δ_ab)), h* the minimiser in M",
        r"g_{ab} = (h^*-\omega)_{ab}/(\Sigma(1+\delta_{ab}))",
    ),
    "a_ab": Definition("z₀ = √Q a", r"z_0 = \sqrt{Q}\,a"),
    "b_ab": Definition("ω = (m/√Q) a + σ_ω b", r"\omega = (m/\sqrt{Q})\,a + \sigma_\omega b"),
    "dg_dz": Definition(
        "derivative of g_ab = (h* − ω)_ab/(Σ(1 + δ_ab)) in z₀_ab",
        r"\frac{\partial}{\partial z_{0,ab}}\frac{(h^*-\omega)_{ab}}{\Sigma(1+\delta_{ab})}",
    ),
    "dg_domega": Definition(
        "derivative of g_ab = (h* − ω)_ab/(Σ(1 + δ_ab)) in ω_ab",
        r"\frac{\partial}{\partial\omega_{ab}}\frac{(h^*-\omega)_{ab}}{\Sigma(1+\delta_{ab})}",
    ),
    "learned": Definition("x̂ = η max(x − ε, 0)", r"\hat x = \eta\,(x-\epsilon)_+"),
    "omega_cut": Definition(
        f"∫_{{ω_κ}}^∞ μ_δ(dx) = κ, {_LAW_TEXT}",
        r"\int_{\omega_\kappa}^\infty \mu_\delta(dx) = \kappa",
    ),
    "nuclear": Definition(
        "‖S‖*/d = Σ_i |x̂_i|/d, x̂_i the eigenvalues of S",
        r"\|S\|_*/d = \tfrac1d\sum_i|\hat x_i|",
    ),
    "decay": Definition("‖W‖²/d² = Σ_ij W_ij²/d²", r"\|W\|_F^2/d^2 = \sum_{ij}W_{ij}^2/d^2"),
    "left_norm": Definition("U Vᵀ = Σ_k u_k v_kᵀ, k the columns", r"UV^\top = \sum_k u_kv_k^\top"),
    "right_norm": Definition("U Vᵀ = Σ_k u_k v_kᵀ, k the columns", r"UV^\top = \sum_k u_kv_k^\top"),
    "x": Definition(
        "eigenvalue of S₀ + δZ, Z symmetric Gaussian with variance 1/d off the diagonal",
        r"(S_0+\delta Z)v = xv,\quad \mathrm{Var}\,Z_{ij} = 1/d",
    ),
    "z": Definition("G(z) = ∫ μ_δ(dx)/(z − x)", r"G(z) = \int\frac{\mu_\delta(dx)}{z-x}"),
    "g": Definition(
        f"g = G(z) = ∫ μ_δ(dx)/(z − x), {_LAW_TEXT}",
        r"g = G(z) = \int\frac{\mu_\delta(dx)}{z-x}",
    ),
    "u": Definition("z = z(u), G = G(u), both rational", r"z = z(u),\quad G = G(u)"),
    "t": Definition("t = δ²", r"t = \delta^2"),
    "s": Definition("s = √κ₀", r"s = \sqrt{\kappa_0}"),
    "mass_above": Definition(
        f"1 − F(ε) = ∫_ε^∞ μ_δ(dx), {_LAW_TEXT}",
        r"1-F(\epsilon) = \int_\epsilon^\infty\mu_\delta(dx)",
    ),
    "theta_spike": Definition(
        "outlier at ϑ + δ²/ϑ where ϑ > δ, on an empty background",
        r"x = \vartheta+\delta^2/\vartheta,\quad \vartheta>\delta",
    ),
    "x_top": Definition(
        "x_top = max{x : μ_δ(dx) > 0}", r"x_{\mathrm{top}} = \max\,\mathrm{supp}\,\mu_\delta"
    ),
    "cube": Definition("∫ρ³ = ∫ ρ(x)³ dx, ρ the density of μ_δ", r"\int\rho(x)^3\,dx"),
    "theta": Definition(
        "0 < θ < π/2, τ = 2√(1 − κ₀) cos θ", r"\tau = 2\sqrt{1-\kappa_0}\,\cos\theta"
    ),
    "v": Definition(
        "density √(4v − x²)/(2πv) on |x| < 2√v", r"\rho(x) = \frac{\sqrt{4v-x^2}}{2\pi v}"
    ),
    "w": Definition("w = 1 − κ₀", r"w = 1-\kappa_0"),
    "zeta": Definition("ζ = (15πκ₀/2)^(1/5)", r"\zeta = (15\pi\kappa_0/2)^{1/5}"),
    "delta_r": Definition("δ̂ = √κ₀ δ", r"\hat\delta = \sqrt{\kappa_0}\,\delta"),
    "epsilon_r": Definition("ε̂ = √κ₀ ε", r"\hat\epsilon = \sqrt{\kappa_0}\,\epsilon"),
    "alpha_r": Definition("α̂ = α/κ₀", r"\hat\alpha = \alpha/\kappa_0"),
    "excess_1": Definition(
        "I₁ = ∫_τ^∞ (x − τ) sc(dx), sc the semicircle of variance 1 − κ₀",
        r"I_1 = \int_\tau^\infty (x-\tau)\,\mathrm{sc}_{1-\kappa_0}(dx)",
    ),
    "excess_2": Definition(
        "I₂ = ∫_τ^∞ (x − τ)² sc(dx), sc the semicircle of variance 1 − κ₀",
        r"I_2 = \int_\tau^\infty (x-\tau)^2\,\mathrm{sc}_{1-\kappa_0}(dx)",
    ),
    "a_sep": Definition(
        "a_sep = α D, α the most samples over d² whose drawn labels can be fitted",
        r"a_{\mathrm{sep}} = \alpha_{\mathrm{sep}} D",
    ),
    "far": Definition(
        "𝒟 = E min_h Σ_{a≤b} (h − ω)²_ab/(1 + δ_ab), h with h_ay_a ≥ h_ab, at q = 1",
        r"\mathcal{D} = \mathbb{E}\min_{h_{ay_a}\ge h_{ab}}\sum_{a\le b}"
        r"\frac{(h-\omega)_{ab}^2}{1+\delta_{ab}}",
    ),
    "far_slope": Definition("𝒟′ = ∂𝒟/∂ρ", r"\mathcal{D}' = \partial\mathcal{D}/\partial\rho"),
    "mean_size": Definition("s̄ = ‖S₀‖_*/d", r"\bar s = \|S_0\|_*/d"),
    "third": Definition(
        "E₃ = −2τ ∫_{x>0} μ₀(dx)/x, μ₀ the law of S₀",
        r"E_3 = -2\tau\int_{x>0}\mu_0(dx)/x",
    ),
}
