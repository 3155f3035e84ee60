# sympy's own annotations are narrower than what its functions return.
# pyright: reportReturnType=false
"""What ``attlas derive`` answers: a derivation at exact parameters, in the form asked for."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

import flint
import sympy as sp

from attlas.model import Channel, Factorised
from attlas.model.channels import label_strength
from attlas.model.errors import BadInput, unknown_name
from attlas.model.estimators import estimator_from
from attlas.model.exact import non_negative, positive, whole
from attlas.model.parameters import channel_from
from attlas.model.targets import TARGETS as known_targets
from attlas.model.targets import Wishart, target_from
from attlas.symbolic import notation as sym
from attlas.symbolic.arithmetic import arithmetic_named
from attlas.symbolic.channels import channel_equations
from attlas.symbolic.derivation import Derivation, substituted
from attlas.symbolic.derivations import (
    channel_derivation,
    spectrum_derivation,
    state_evolution_derivation,
)
from attlas.symbolic.dynamics import dynamics
from attlas.symbolic.estimators import Estimator
from attlas.symbolic.free_convolution import WISHART
from attlas.symbolic.nuclear_norm import nuclear_norm
from attlas.symbolic.render import render
from attlas.symbolic.scaling import scaling
from attlas.symbolic.thresholds import (
    bands,
    bayes,
    direct_training,
    interpolation,
    perfect_recovery,
    small_rank,
)

FORMATS = ("text", "latex", "mathml", "json")

#: Digits of a value printed next to a derivation.
VALUE_DIGITS = 30

#: Tokens whose equations are written out; their terms are counted in squares.
_MOST_TOKENS = 16

Given = Mapping[str, Any]


def _channel(given: Given) -> Channel:
    """The channel meant; parameters of the theory's notation are put in afterwards."""
    return channel_from({name: given[name] for name in ("channel", "tokens") if name in given})


def _state_evolution(given: Given) -> Derivation:
    estimator = given.get("training", Factorised(1))
    if estimator.penalty is None:
        return bayes()
    return state_evolution_derivation(channel_equations(_channel(given)), Estimator.of(estimator))


def _label_rank(given: Given) -> int:
    channel = _channel(given)
    return channel.rank_of(given.get("training", Factorised(1)).scores(channel.tokens))


def _freedom(given: Given) -> int:
    penalty = given.get("training", Factorised(1)).penalty
    return 1 if penalty is None else penalty.freedom


_BUILDERS: dict[str, Callable[[Given], Derivation]] = {
    "state-evolution": _state_evolution,
    "interpolation": lambda _: interpolation(),
    "perfect-recovery": lambda given: perfect_recovery(_freedom(given)),
    "bayes": lambda _: bayes(),
    "spectrum": lambda _: spectrum_derivation(WISHART),
    "bands": lambda _: bands(),
    "small-rank": lambda _: small_rank(),
    "direct": lambda _: direct_training(),
    "channel": lambda given: channel_derivation(_channel(given)),
    "nuclear-norm": lambda _: nuclear_norm(),
    "scaling": lambda _: scaling(),
    "dynamics": lambda _: dynamics(),
}

TARGETS = tuple(_BUILDERS)

#: Those that say what holds of maps without symmetry.
_OF_ANY_MAP = ("state-evolution", "perfect-recovery", "nuclear-norm")

_READERS: dict[str, Callable[[str, Any], Fraction]] = {
    "alpha": positive,
    "lam": non_negative,
    "kappa": positive,
    "kappa0": positive,
    "beta": positive,
    "beta0": positive,
    "noise": non_negative,
}


def derivation_of(target: str, given: Mapping[str, Any] | None = None) -> Derivation:
    """A derivation with exact parameters put in.

    Parameters
    ----------
    target : str
        One of ``TARGETS``.
    given : mapping, optional
        Flags of the command line that were set, by name (alpha, lam, kappa, kappa0, tokens, beta,
        beta0, noise, target, training), as text or exact numbers. None counts as not set; what is
        not set stays a symbol.

    Raises
    ------
    BadInput
        For an unknown target, flag or value.
    """
    if target not in _BUILDERS:
        raise unknown_name("derive", target, TARGETS)
    exact = read_parameters(given or {})
    if _freedom(exact) > 1 and target not in _OF_ANY_MAP:
        valid = f"must train a symmetric map for `derive {target}`"
        raise BadInput("training", exact["training"].name, valid)
    return substituted(_BUILDERS[target](exact), substitutions(exact))


def derive(
    target: str,
    given: Mapping[str, Any] | None = None,
    *,
    steps: bool = False,
    format: str = "text",
    fragment: bool = False,
) -> str:
    """A derivation as text, LaTeX, MathML or JSON.

    Parameters
    ----------
    target, given : see ``derivation_of``
    steps : bool
        List the steps and execute their checks.
    format : {"text", "latex", "mathml", "json"}
    fragment : bool
        Of LaTeX, the equations alone, with labels, for a document of one's own.

    Raises
    ------
    BadInput
        For an unknown target, flag, value or format.
    """
    if format not in FORMATS:
        raise unknown_name("format", format, FORMATS)
    if fragment and (format != "latex" or steps):
        raise BadInput(
            "fragment", True, "is for `format=latex`, and holds no `steps`", "leave it out"
        )
    derivation = derivation_of(target, given)
    value = value_at(derivation, read_parameters(given or {}))
    return render(derivation, format, steps, value, fragment)


def read_parameters(given: Mapping[str, Any]) -> dict[str, Any]:
    """Check the flags and read their values exactly.

    Raises
    ------
    BadInput
    """
    exact: dict[str, Any] = {}
    for name, value in given.items():
        if value is None:
            continue
        if name in _READERS:
            exact[name] = _READERS[name](name, value)
        elif name == "tokens":
            exact[name] = whole("tokens", value, at_least=1, at_most=_MOST_TOKENS)
        elif name == "channel":
            exact[name] = str(value)
        elif name == "training":
            exact[name] = estimator_from(value, fill=1)
        elif name == "target":
            exact.update(_wishart(str(value)))
        elif name in ("n", "d", "task"):
            raise BadInput(name, value, "does not enter a derivation", "leave it out")
        else:
            raise unknown_name(
                "derive", name, (*_READERS, "tokens", "channel", "training", "target")
            )
    return exact


def _wishart(grammar: str) -> dict[str, Fraction]:
    name, _, rest = known_targets.named(grammar)
    ratio = target_from(grammar).wishart_ratio if rest else None
    if ratio is None and (rest or name != Wishart.name):
        raise BadInput(
            "target",
            grammar,
            "only the wishart target has a closed derivation",
            "solve and spectrum handle the others numerically",
        )
    return {} if ratio is None else {"kappa0": ratio}


def substitutions(exact: Given) -> dict[sp.Symbol, sp.Expr]:
    """Symbols that the given parameters fix, directly or through a definition."""
    values: dict[sp.Symbol, sp.Expr] = {}
    for name in _READERS:
        if name in exact:
            values[sym.notation(name).symbol] = _rational(exact[name])
    if "kappa0" in exact:
        ratio = _rational(exact["kappa0"])
        values[sym.s] = sp.sqrt(ratio)
        strength = 1 + ratio if _freedom(exact) == 1 else sp.Integer(1)
        values[sym.q0] = strength
        values[sym.w] = 1 - ratio
        if "noise" in exact:
            values[sym.q_label] = label_strength(strength, _rational(exact["noise"]))
    if "lam" in exact and "kappa" in exact:
        values[sym.lam_tilde] = sp.sqrt(_rational(exact["kappa"])) * _rational(exact["lam"])
    if "tokens" in exact or "channel" in exact:
        channel = _channel(exact)
        rank = sp.Integer(_label_rank(exact))
        values[sym.tokens] = sp.Integer(channel.tokens)
        values[sym.label_rank] = rank
        if "alpha" in exact:
            values[sym.a] = _rational(exact["alpha"]) * rank
    return values


def value_at(derivation: Derivation, exact: Given) -> str | None:
    """The threshold's number, in a and as alpha for the given tokens, if enough is given."""
    needed = {
        "perfect-recovery": ("kappa0",),
        "bayes": ("kappa0",),
        "interpolation": ("kappa0", "noise"),
    }.get(derivation.key)
    if needed is None or derivation.numeric is None or not all(n in exact for n in needed):
        return None
    if derivation.key == "interpolation" and exact["noise"] == 0:
        return None
    ball = derivation.numeric(*(exact[n] for n in needed), arithmetic="arb", digits=VALUE_DIGITS)
    shown = f"a = {_digits(ball)}"
    if "tokens" in exact or "channel" in exact:
        channel = _channel(exact)
        with arithmetic_named("arb", VALUE_DIGITS).precision():
            alpha = _digits(ball / _label_rank(exact))
        return f"{shown}, alpha = a/D = {alpha} for T = {channel.tokens}"
    return f"{shown}, alpha = a/D; the number of tokens fixes D"


def _digits(ball: flint.arb) -> str:
    return ball.str(VALUE_DIGITS, radius=False)


def _rational(value: Fraction) -> sp.Rational:
    return sp.Rational(value.numerator, value.denominator)
