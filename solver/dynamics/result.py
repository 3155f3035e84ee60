"""What a flow gives."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields
from enum import Enum
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

from attlas.model import Problem, parameters_of
from attlas.model.result_key import Definition, Key, theory_md
from attlas.solver.result import Answer

Array = NDArray[np.floating]


_DISCRETE = "of gradient descent with the step size --step, after t/step steps"
_HOW_TO = "docs/howto/dynamics.md"


class FlowStatus(Enum):
    """How accurate a flow is; the value of each member tells the user what to do."""

    CONVERGED = (
        "Followed: q and m are within the tolerance. This is the limit of infinitely many "
        "samples; at finite alpha training in time departs from it and no theory is offered here "
        "(docs/howto/dynamics.md says by how much)."
    )
    INACCURATE = (
        "Followed, but q or m is less accurate than the tolerance: raise `rtol`, or accept the "
        "stated errors. This is the limit of infinitely many samples; at finite alpha training in "
        "time departs from it."
    )

    @property
    def ok(self) -> bool:
        """Whether the values can be used; they can, within their stated errors."""
        return self is FlowStatus.CONVERGED


@dataclass(frozen=True)
class _Curves:
    """The numeric results; see :class:`Dynamics`."""

    q: Annotated[Array, Key()]
    m: Annotated[Array, Key()]
    error: Annotated[
        Array,
        Key(
            "population loss at each t: the test error on noisy labels (it is no error bar)",
            "list; 0 or more",
            theory_md("20"),
            Definition(
                "e(q, m) = E Σ_ab (y − softmax(βz))²_ab; for T = 1, 2(Q₀ + Δ/2 − 2m + q)",
                r"e(q,m)=\mathbb{E}\sum_{ab}\bigl(y-\mathrm{softmax}(\beta z)\bigr)_{ab}^2",
            ),
        ),
    ]
    mse: Annotated[Array, Key()]
    learned_eigenvalues: Annotated[
        Array,
        Key(
            "for each t a list: the eigenvalue of S along each target eigenvalue",
            "list of lists; greater than 0",
            theory_md("20"),
            Definition(
                "x_s(t) = E_s²/(1/σ₀ + N_s), E_s = exp(Bs − ct), B = −∫e_m dt, N_s = ∫4e_q E_s² dt",
                r"x_s=\frac{E_s^2}{1/\sigma_0+N_s},\quad E_s=e^{Bs-ct},\ B=-\int e_m\,dt,\ "
                r"N_s=\int 4e_qE_s^2\,dt",
            ),
        ),
    ]
    escape_times: Annotated[
        Array,
        Key(
            "when each mode is learned: its eigenvalue rises to half of what it would rest at; "
            "null for a mode that does not by the last t",
            "list; greater than 0 or null",
            theory_md("20"),
            Definition("x_s = −(e_m s + c)/(4e_q)", r"x_s=-\frac{e_ms+c}{4e_q}"),
        ),
    ]
    q_discrete: Annotated[Array | None, Key(f"q {_DISCRETE}", "list", _HOW_TO)] = None
    m_discrete: Annotated[Array | None, Key(f"m {_DISCRETE}", "list", _HOW_TO)] = None
    error_discrete: Annotated[Array | None, Key(f"error {_DISCRETE}", "list", _HOW_TO)] = None
    mse_discrete: Annotated[Array | None, Key(f"mse {_DISCRETE}", "list", _HOW_TO)] = None

    def present(self) -> dict[str, Any]:
        """Lists by result key; a time that is never reached is None."""
        return {name: _listed(value) for name, value in self._given()}

    def _given(self) -> Iterator[tuple[str, Array]]:
        for field in fields(_Curves):
            value = getattr(self, field.name)
            if value is not None:
                yield field.name, value


class DynamicsErrors(_Curves):
    """Absolute error bars of the arrays of the same names."""


@dataclass(frozen=True)
class DynamicsStats:
    """What a flow cost."""

    seconds: float
    evaluations: int
    modes: int


@dataclass(frozen=True, kw_only=True)
class Dynamics(_Curves, Answer):
    """The population gradient flow of a problem at given times.

    Attributes
    ----------
    problem : Problem
    decay, sigma0 : float
        c, and the start S = sigma0 I.
    step : float or None
        Step size of the discrete descent beside the flow.
    t : array, shape (K,)
        Times.
    q, m : array, shape (K,)
        Tr S^2/d and Tr S S0/d.
    error : array, shape (K,)
        The population loss: the test error on noisy labels. (It is no error bar.)
    mse : array, shape (K,)
        ||S - S0||_F^2/d.
    target_eigenvalues, weights : array, shape (M,)
        Eigenvalues of S0, descending, and the share of the d dimensions that each stands for.
    learned_eigenvalues : array, shape (K, M)
        The eigenvalue of S along each of them.
    escape_times : array, shape (M,)
        When each is learned: at half the value where it would rest. NaN if not by the last t.
    q_discrete, m_discrete, error_discrete, mse_discrete : array, shape (K,), or None
        The same of gradient descent with step size ``step``, after t/step steps.
    error_bars : DynamicsErrors
        Absolute error bars of all but t, target_eigenvalues and weights.
    status : FlowStatus
    stats : DynamicsStats

    Notes
    -----
    theory.md section 20.
    """

    problem: Problem
    decay: float
    sigma0: float
    step: float | None
    t: Annotated[
        Array,
        Key(
            "time of the gradient flow: a step of gradient descent with rate r on the loss summed "
            "over n samples takes 2 r n/(d sqrt(pd)) of it",
            "list; 0 or more",
            theory_md("20"),
            Definition(
                "dS/dt = −4e_q S² − e_m(S₀S + SS₀) − 2cS",
                r"\dot S=-4e_qS^2-e_m(S_0S+SS_0)-2cS",
            ),
        ),
    ]
    target_eigenvalues: Annotated[
        Array,
        Key("eigenvalues of S0, or nodes of their law, descending", "list", theory_md("20")),
    ]
    weights: Annotated[
        Array,
        Key("share of the d dimensions of each target eigenvalue", "list", theory_md("20")),
    ]
    error_bars: DynamicsErrors
    status: FlowStatus
    stats: DynamicsStats

    def present(self) -> dict[str, Any]:
        """Lists by result key."""
        return {
            "t": _listed(self.t),
            **super().present(),
            "target_eigenvalues": _listed(self.target_eigenvalues),
            "weights": _listed(self.weights),
        }

    def parameters(self) -> dict[str, str]:
        """What the flow has beside the problem, as flags of the same names take it."""
        given = {"sigma0": self.sigma0, "decay": self.decay, "step": self.step}
        return {name: repr(value) for name, value in given.items() if value is not None}

    def times(self) -> list[dict[str, float]]:
        """One row for each t, of all that has one value there."""
        columns = {"t": self.t, **dict(self._given()), **_named_bars(self.error_bars)}
        scalars = {key: one for key, one in columns.items() if one.shape == self.t.shape}
        if "escape_times" in scalars:  # as many modes as times
            scalars = {key: one for key, one in scalars.items() if "escape_times" not in key}
        return [
            {key: float(one[index]) for key, one in scalars.items()} for index in range(self.t.size)
        ]

    def some_modes(self, most: int) -> list[dict[str, float | None]]:
        """One row for each mode at the last t, or for some of them spread over all."""
        chosen = np.unique(np.linspace(0, self.weights.size - 1, most).round().astype(int))
        return [
            {
                "target_eigenvalue": float(self.target_eigenvalues[index]),
                "weight": float(self.weights[index]),
                "learned_eigenvalue": float(self.learned_eigenvalues[-1, index]),
                "escape_time": _number(float(self.escape_times[index])),
                "escape_time_error": _number(float(self.error_bars.escape_times[index])),
            }
            for index in chosen
        ]

    def to_dict(self) -> dict[str, Any]:
        """Parameters, lists by result key, those of the error bar of ``KEY`` by ``error_KEY``."""
        bars = {f"error_{key}": value for key, value in self.error_bars.present().items()}
        status = {"status": self.status.name.lower()}
        return {
            **parameters_of(self.problem),
            **self.parameters(),
            **self.present(),
            **bars,
            **status,
        }

    def rows(self) -> list[dict[str, Any]]:
        """One row for each t: what has one value there, and lists over the modes."""
        modes = {
            "target_eigenvalues": _listed(self.target_eigenvalues),
            "weights": _listed(self.weights),
            "escape_times": _listed(self.escape_times),
        }
        learned = _listed(self.learned_eigenvalues)
        return [
            {**row, **modes, "learned_eigenvalues": one}
            for row, one in zip(self.times(), learned, strict=True)
        ]

    def __repr__(self) -> str:
        shown = "\n".join(
            f"{t:12.6g} {q:14.9g} {m:14.9g} {error:14.9g}"
            for t, q, m, error in zip(self.t, self.q, self.m, self.error, strict=True)
        )
        return f"{'t':>12} {'q':>14} {'m':>14} {'error':>14}\n{shown}\n{self.status.value}"


def _named_bars(bars: DynamicsErrors) -> dict[str, Array]:
    return {f"error_{key}": value for key, value in bars._given()}


def _number(value: float) -> float | None:
    return None if np.isnan(value) else float(value)


def _listed(values: Array) -> list[Any]:
    """Nested lists, None for NaN."""
    return [_listed(value) if np.ndim(value) else _number(value) for value in values]
