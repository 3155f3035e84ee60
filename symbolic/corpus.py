# sympy's own annotations are narrower than what its functions return.
# pyright: reportArgumentType=false, reportOperatorIssue=false
"""Every equation of every derivation, by where it comes from and in which case it holds."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

import sympy as sp

from attlas.model import SoftmaxChannel
from attlas.symbolic import notation as sym
from attlas.symbolic.channels import channel_equations
from attlas.symbolic.derivation import Derivation
from attlas.symbolic.derivations import softmax_derivation, spectrum_derivation
from attlas.symbolic.estimators import FACTORISED
from attlas.symbolic.free_convolution import WISHART
from attlas.symbolic.nuclear_norm import nuclear_norm
from attlas.symbolic.scaling import PHASES, scaling
from attlas.symbolic.state_evolution import state_evolution
from attlas.symbolic.thresholds import (
    bands,
    bayes,
    collapse,
    critical_behaviour,
    direct_training,
    interpolation,
    jump,
    linear_reduction,
    perfect_recovery,
    ridgeless,
    separability,
    small_rank,
)


@dataclass(frozen=True)
class Source:
    """Where equations come from.

    Attributes
    ----------
    key, title, section : str
        The derivation's.
    equations : dict from str to sympy.Basic
    """

    key: str
    title: str
    section: str
    equations: dict[str, sp.Basic]


_DERIVATIONS: tuple[Callable[[], Derivation], ...] = (
    ridgeless,
    interpolation,
    perfect_recovery,
    critical_behaviour,
    jump,
    bayes,
    lambda: softmax_derivation(2),
    linear_reduction,
    collapse,
    bands,
    small_rank,
    direct_training,
    lambda: spectrum_derivation(WISHART),
    nuclear_norm,
    scaling,
    separability,
)

#: When an equation holds, where its derivation has several for one symbol.
_CASES = {
    ("interpolation", "samples"): "any target",
    ("interpolation", "wishart-signal"): "Wishart target",
    ("interpolation", "wishart-samples"): "Wishart target",
    ("interpolation", "small-noise"): "Wishart target with kappa0 < 1, noise -> 0+",
    ("interpolation", "large-noise"): "Wishart target, noise -> infinity",
    ("interpolation", "peak-m"): "at the threshold, lam -> 0+",
    ("interpolation", "peak-q"): "at the threshold, lam -> 0+",
    ("critical", "delta"): "a -> a_perf from below",
    ("critical", "mse"): "a -> a_perf from below",
    ("channel", "m_hat"): "by means of g_ab",
    ("channel", "sigma_hat"): "by means of g_ab",
    ("channel", "m_hat-stein"): "by means of its derivatives",
    ("channel", "sigma_hat-stein"): "by means of its derivatives",
    ("collapse", "general"): "any channel",
    ("collapse", "linear"): "T = 1",
    ("collapse", "linear-delta"): "T = 1",
    ("bands", "critical-delta"): "where the gap opens",
    ("bands", "opening"): "where the gap opens",
    ("small-rank", "ridgeless-threshold"): "lam -> 0+",
    ("small-rank", "ridgeless-bulk"): "lam -> 0+",
    ("direct", "ridgeless-error"): "--training direct, noise = 0, lam -> 0+",
    ("spectrum", "outlier"): "an outlier; g is the transform of the background at the spike",
    ("dynamics", "escape"): "q and m standing still",
    ("dynamics", "power-law"): "no decay, modes far from all ends",
    ("scaling", "lambda-c"): "lam_c, the best penalty to about 10 %",
}


def case_of(source: Source | Derivation, name: str) -> str:
    """In which case an equation holds; empty where the source has one for all."""
    if source.key == "scaling" and name in PHASES:
        return PHASES[name].region
    for training in ("direct-psd", "direct"):
        if source.key == "direct" and name.startswith(f"{training}-"):
            return f"--training {training}{', epsilon = 0 in J' if training != 'direct' else ''}"
    return _CASES.get((source.key, name), "")


@cache
def corpus() -> tuple[Source, ...]:
    """All sources, state evolution first."""
    found = [_state_evolution()]
    for build in _DERIVATIONS:
        derivation = build()
        found.append(
            Source(derivation.key, derivation.title, derivation.source, derivation.equations)
        )
    return tuple(found)


def _state_evolution() -> Source:
    parts = state_evolution(channel_equations(SoftmaxChannel(2)), FACTORISED)
    own = {
        sym.phi: parts.free_energy,
        **parts.display,
        **parts.definitions,
        sym.mse: sym.q - 2 * sym.m + sym.q0,
        sym.q_label: sym.q0 + sym.noise / 2,
        sym.a: sym.alpha * sym.label_rank,
        sym.lam_tilde: sp.sqrt(sym.kappa) * sym.lam,
        sym.label_rank: (sym.tokens**2 + sym.tokens - 2) / 2,
    }
    # Unevaluated, so that an identity does not collapse to true.
    equations = {left.name: sp.Eq(left, right, evaluate=False) for left, right in own.items()}
    return Source("state-evolution", "State evolution", "section 3", equations)
