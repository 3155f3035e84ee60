"""What every solver of a learning problem returns."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Annotated, Any

from attlas.model import Problem
from attlas.model.errors import ComputationFailed
from attlas.model.result_key import Definition, Key, theory_md
from attlas.solver.result import Result
from attlas.solver.status import Status

if TYPE_CHECKING:
    pass

#: The value of a key that does not apply. The keys are typed as the floats they are otherwise.
ABSENT: Any = None


def _gap(text: str, latex: str) -> Definition:
    """The mean squared difference of two labels, and what is said of its scores."""
    return Definition(
        f"E Σ_ab (softmax(β₀ z₀) − softmax(β z))²_ab, {text}",
        r"\mathbb{E}\sum_{ab}\bigl(\mathrm{softmax}(\beta_0 z_0)"
        rf"-\mathrm{{softmax}}(\beta z)\bigr)_{{ab}}^2,\quad {latex}",
    )


@dataclass(frozen=True)
class Observables:
    """The result keys of ``attlas solve`` and ``attlas simulate``.

    A key that does not apply to the estimator is None. Every value is of order one as
    d -> infinity. theory.md sections 3 and 6.
    """

    q: Annotated[float, Key(group="overlaps")] = ABSENT
    m: Annotated[float, Key(group="overlaps")] = ABSENT
    sigma: Annotated[float, Key(group="overlaps")] = ABSENT
    t: Annotated[
        float,
        Key(
            "trace that the norms of tokens reveal, of the trained map as they see it",
            "0 or more for positive maps",
            theory_md("17"),
            Definition("t = Tr C S/d", r"t = \mathrm{Tr}\,CS/d"),
            group="overlaps",
        ),
    ] = ABSENT
    c2: Annotated[
        float,
        Key(
            "trace with the squared covariance, which the norms of normalised tokens reveal",
            "0 or more for positive maps",
            theory_md("17"),
            Definition("c2 = Tr C^2 S/d", r"c_2 = \mathrm{Tr}\,C^2S/d"),
            group="overlaps",
        ),
    ] = ABSENT
    trace: Annotated[
        float,
        Key(
            "trace of the trained map itself, where tokens have a covariance",
            "0 or more for positive maps",
            theory_md("17"),
            Definition("Tr S/d", r"\mathrm{Tr}\,S/d"),
            group="overlaps",
        ),
    ] = ABSENT
    q_hat: Annotated[float, Key(group="overlaps")] = ABSENT
    m_hat: Annotated[float, Key(group="overlaps")] = ABSENT
    sigma_hat: Annotated[float, Key(group="overlaps")] = ABSENT
    t_hat: Annotated[
        float,
        Key(
            "conjugate of t: what the norms of tokens add to the penalty on Tr C S",
            "any",
            theory_md("17"),
            Definition("t_hat = alpha dM/dt", r"\hat t = \alpha\,\partial M/\partial t"),
            group="overlaps",
        ),
    ] = ABSENT
    c2_hat: Annotated[
        float,
        Key(
            "conjugate of c2: what the norms of tokens add to the penalty on Tr C^2 S",
            "any",
            theory_md("17"),
            Definition("c2_hat = alpha dM/dc2", r"\hat c_2 = \alpha\,\partial M/\partial c_2"),
            group="overlaps",
        ),
    ] = ABSENT
    eta: Annotated[float, Key(group="spectrum")] = ABSENT
    delta: Annotated[float, Key(group="spectrum")] = ABSENT
    epsilon: Annotated[float, Key(group="spectrum")] = ABSENT
    rank_fraction: Annotated[
        float,
        Key(
            "fraction of the learned map's eigenvalues that are not zero",
            "between 0 and 1",
            theory_md("6"),
            Definition(
                "1 − F(ε) = ∫_ε^∞ μ_δ(dx), μ_δ the law of S₀ + δZ",
                r"1 - F(\epsilon) = \int_\epsilon^\infty \mu_\delta(dx)",
            ),
            group="spectrum",
        ),
    ] = ABSENT
    train_error: Annotated[
        float,
        Key(
            "mean squared label error on the training samples, summed over the label's entries",
            "0 or more",
            theory_md("6"),
            Definition(
                "E Σ_ab (y − softmax(β h*))²_ab, for T = 1 E (y − h*)², h* the trained scores",
                r"\mathbb{E}\sum_{ab}\bigl(y-\mathrm{softmax}(\beta h^*)\bigr)_{ab}^2",
            ),
            group="errors",
        ),
    ] = ABSENT
    test_error: Annotated[
        float,
        Key(
            "mean squared error on fresh noisy labels; for T = 1, E (y - h)^2",
            "0 or more",
            theory_md("6"),
            _gap(
                "Var z₀ = Q₀ + Δ/2, Var z = q, Cov = m (twice on the diagonal); "
                "for T = 1, 2(q − 2m + Q₀) + Δ",
                r"\mathrm{Var}\,z_0 = Q_0+\Delta/2",
            ),
            group="errors",
        ),
    ] = ABSENT
    test_error_clean: Annotated[
        float,
        Key(
            "mean squared error on fresh labels without noise",
            "0 or more",
            theory_md("6"),
            _gap(
                "Var z₀ = Q₀, Var z = q, Cov = m (twice on the diagonal); "
                "for T = 1, 2(q − 2m + Q₀)",
                r"\mathrm{Var}\,z_0 = Q_0",
            ),
            group="errors",
        ),
    ] = ABSENT
    test_square: Annotated[
        float,
        Key(
            "for cross-entropy: mean squared distance of the student's attention from the "
            "teacher's, without noise",
            "0 or more",
            theory_md("18"),
            _gap("z₀, z as for test_error_clean", r"\mathrm{Var}\,z_0 = Q_0"),
            group="errors",
        ),
    ] = ABSENT
    accuracy: Annotated[
        float,
        Key(
            "for cross-entropy: probability that the student's likeliest token of a row is the one "
            "drawn from the teacher's noisy softmax",
            "between 0 and 1",
            theory_md("18"),
            Definition(
                "E softmax(β₀ z₀)_ab at the b of the largest z_ab, Var z₀ = Q₀ + Δ/2, Var z = q, "
                "Cov = m (twice on the diagonal)",
                r"\mathbb{E}\,\mathrm{softmax}(\beta_0 z_0)_{a,\operatorname{argmax}_b z_{ab}}",
            ),
            group="errors",
        ),
    ] = ABSENT
    test_error_plugin: Annotated[
        float,
        Key(
            "test error of plugging the Bayes-optimal mean score into the softmax; not a lower "
            "bound on the test error",
            "at least test_error",
            theory_md("12"),
            _gap("z = E[z₀ | ω], the posterior mean", r"z = \mathbb{E}[z_0\mid\omega]"),
            group="errors",
        ),
    ] = ABSENT
    loss: Annotated[
        float,
        Key(
            "limit of the minimal loss per squared dimension, min L/d^2: the free energy at "
            "the solution",
            "0 or more",
            theory_md("3"),
            Definition(
                "lim E[min L]/d² = Φ, the value of the free energy at its stationary point",
                r"\lim_{d\to\infty}\mathbb{E}[\min L]/d^2 = \Phi",
            ),
            group="errors",
        ),
    ] = ABSENT
    mse: Annotated[float, Key(group="errors")] = ABSENT
    replicon: Annotated[
        float,
        Key(
            "stability of the solution: below 1 it is stable; the smooth part only, see "
            "multi_minima_weight",
            "0 or more",
            theory_md("10"),
            Definition(
                "R = 2α ⟨Tr C r′ C r′⟩ Σ̂⁻² ∫∫ [((x − ε)₊ − (y − ε)₊)/(x − y)]² μ_δ(dx) μ_δ(dy), "
                "r′ the Jacobian in ω of r = C⁻¹(h* − ω)/Σ, C the covariance of the scores",
                r"2\alpha\,\langle\mathrm{Tr}\,C r' C "
                r"r'\rangle\,\hat\Sigma^{-2}\iint\Bigl[\frac{(x-\epsilon)_+-"
                r"(y-\epsilon)_+}{x-y}\Bigr]^2\mu_\delta(dx)\mu_\delta(dy)",
            ),
            group="stability",
        ),
    ] = ABSENT
    multi_minima_weight: Annotated[
        float,
        Key(
            "share of samples whose proximal problem has two minima; zero where sigma beta^2 "
            "is below the unimodality bound",
            "between 0 and 1",
            theory_md("10"),
            Definition(
                "Pr[h ↦ ℓ(y, h) + Σ_{a≤b} (h_ab − ω_ab)²/(2Σ(1 + δ_ab)) has two minima]",
                r"\Pr\Bigl[h\mapsto\ell(y,h)+\sum_{a\le "
                r"b}\frac{(h_{ab}-\omega_{ab})^2}{2\Sigma(1+\delta_{ab})}\ \text{has two "
                r"minima}\Bigr]",
            ),
            group="stability",
        ),
    ] = ABSENT

    def present(self) -> dict[str, float]:
        """The keys that hold a value, in the order of the declaration."""
        pairs = ((key, getattr(self, key)) for key in OBSERVABLE_KEYS)
        return {key: value for key, value in pairs if value is not None}


OBSERVABLE_KEYS: tuple[str, ...] = tuple(field.name for field in fields(Observables))


@dataclass(frozen=True)
class Stats:
    """What a solve cost: fixed-point iterations, wall seconds, integration nodes."""

    iterations: int
    seconds: float
    nodes: int = 0


@dataclass(frozen=True)
class Solution(Observables, Result):
    """A solved problem: values, an error bar per value, a status and the other branches.

    Attributes
    ----------
    problem : Problem
    error : Observables
        Absolute error bars, one per present value; they do not understate.
    status : Status
    stats : Stats
    start : str
        Which start of the iteration led here: "informed", "uninformed", "analytic".
    residual : float
        Recomputed relative residual of the fixed-point equations.
    advice : str
        What this particular outcome asks of the user, beyond the status's sentence.
    branches : tuple of Solution
        All stationary points found, lowest free energy first; the first equals this one.
    """

    problem: Problem = ABSENT
    error: Observables = Observables()
    status: Status = Status.CONVERGED
    stats: Stats = Stats(0, 0.0)
    start: str = ""
    residual: float = 0.0
    advice: str = ""
    branches: tuple[Solution, ...] = ()

    @classmethod
    def of(cls, values: Observables, **attributes: Any) -> Solution:
        """A solution with given values of the result keys."""
        return cls(**{**values.present(), **attributes})

    def __repr__(self) -> str:
        shown = ", ".join(
            f"{key}={value:.7g}(±{getattr(self.error, key) or 0:.1g})"
            for key, value in self.present().items()
        )
        return f"Solution({self.status.name}: {shown})"


class SolveError(ComputationFailed):
    """A solve that failed; carries the failed solution, the message says what to do.

    Parameters
    ----------
    solution : Solution
    """

    def __init__(self, solution: Solution) -> None:
        self.solution = solution
        detail = f" {solution.advice}" if solution.advice else ""
        super().__init__(f"{solution.status.value}{detail}")

    def __reduce__(self) -> tuple[type[SolveError], tuple[Solution]]:
        """Its solution, so that a worker process can hand it back."""
        return type(self), (self.solution,)
