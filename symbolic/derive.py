# sympy's own annotations are narrower than what its functions return.
# pyright: reportReturnType=false
"""What ``attlas derive`` answers: a derivation at exact parameters, in the form asked for."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import flint
import sympy as sp

from attlas.model import Estimator as Trained
from attlas.model import Problem, Product, Wishart
from attlas.model.channels import label_strength
from attlas.model.errors import BadInput, unknown_name
from attlas.model.exact import whole
from attlas.model.parameters import completed
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
from attlas.symbolic.free_convolution import WISHART, Curve, Law, law_of
from attlas.symbolic.nuclear_norm import nuclear_norm
from attlas.symbolic.render import render
from attlas.symbolic.scaling import scaling
from attlas.symbolic.thresholds import (
    bands,
    bayes,
    collapse,
    direct_training,
    interpolation,
    perfect_recovery,
    require_nuclear,
    require_vanishing,
    separability,
    small_rank,
)

FORMATS = ("text", "latex", "mathml", "json")

#: Digits of a value printed next to a derivation.
VALUE_DIGITS = 30

#: Tokens whose equations are written out; their terms are counted in squares.
_MOST_TOKENS = 16


@dataclass(frozen=True)
class _Asked:
    """The problem that is derived, and which of its parameters were given.

    Those that were not stand at 1, or their defaults, and stay symbols.
    """

    problem: Problem
    given: frozenset[str]

    @classmethod
    def of(cls, target: str, given: Mapping[str, Any]) -> _Asked:
        """Read flags, and refuse what a derivation does not hold of."""
        known = {name: value for name, value in given.items() if value is not None}
        problem = completed(known, kappa0=1)
        for name in known.keys() - {*_NUMBERS, *_PARTS}:
            raise BadInput(name, known[name], "does not enter a derivation", "leave it out")
        whole("tokens", problem.channel.tokens, at_least=1, at_most=_MOST_TOKENS)
        if known.get("target") in (Wishart.name, Product.name):
            known.pop("target")  # with kappa0, or a symbol
        asked = cls(problem, frozenset(known))
        if asked.freedom > 1 and target not in _OF_ANY_MAP:
            valid = f"must train a symmetric map for `derive {target}`"
            raise BadInput("training", problem.estimator.name, valid)
        if target in _REQUIRED:
            _REQUIRED[target](problem.estimator)
        if target in _OF_WISHART and asked.law is not None and asked.law.curve != WISHART:
            valid = f"must be a Wishart target for `derive {target}`"
            raise BadInput("target", problem.target.grammar(), valid)
        return asked

    @property
    def law(self) -> Law | None:
        """The law of the target, where it is given."""
        return law_of(self.problem.target) if self.given & {"kappa0", "target"} else None

    @property
    def freedom(self) -> int:
        penalty = self.problem.estimator.penalty
        return 1 if penalty is None else penalty.freedom

    @property
    def ratio(self) -> sp.Expr:
        """kappa0, or the share of the target's eigenvalues that are not 0."""
        given = self.problem.target.factor_ratio
        return law_of(self.problem.target).rank if given is None else sp.Rational(given)

    def interpolation(self) -> Derivation:
        """Of a Wishart target the parameter may stay a symbol."""
        return interpolation(None if self.curve() == WISHART else self.law)

    def curve(self) -> Curve:
        return WISHART if self.law is None else self.law.curve

    def state_evolution(self) -> Derivation:
        if self.problem.estimator.penalty is None:
            return bayes()
        channel = channel_equations(self.problem.channel)
        return state_evolution_derivation(channel, Estimator.of(self.problem.estimator))


def _require_cone(estimator: Trained) -> None:
    require_vanishing(estimator)
    if not estimator.trained().positive:
        valid = "must train a positive map: one of any sign fits a label for each free entry"
        raise BadInput("training", estimator.name, valid)


_BUILDERS: dict[str, Callable[[_Asked], Derivation]] = {
    "state-evolution": _Asked.state_evolution,
    "interpolation": _Asked.interpolation,
    "perfect-recovery": lambda asked: perfect_recovery(asked.freedom),
    "collapse": lambda _: collapse(),
    "bayes": lambda _: bayes(),
    "separability": lambda _: separability(),
    "spectrum": lambda asked: spectrum_derivation(asked.curve()),
    "bands": lambda _: bands(),
    "small-rank": lambda _: small_rank(),
    "direct": lambda _: direct_training(),
    "channel": lambda asked: channel_derivation(asked.problem.channel),
    "nuclear-norm": lambda _: nuclear_norm(),
    "scaling": lambda _: scaling(),
    "dynamics": lambda _: dynamics(),
}

TARGETS = tuple(_BUILDERS)

#: Those that say what holds of maps without symmetry.
_OF_ANY_MAP = ("state-evolution", "perfect-recovery", "separability", "nuclear-norm")
#: What asks something of the penalty.
_REQUIRED = {"interpolation": _require_cone, "perfect-recovery": require_nuclear}
#: Those that hold of the Wishart target alone.
_OF_WISHART = ("bands", "small-rank")
#: Parameters that are put in as they are.
_NUMBERS = ("alpha", "lam", "kappa", "kappa0", "beta", "beta0", "noise")
_PARTS = ("tokens", "keys", "channel", "training", "target")


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
    asked = _Asked.of(target, given or {})
    return substituted(_BUILDERS[target](asked), substitutions(asked))


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
    value = value_at(derivation, _Asked.of(target, given or {}))
    return render(derivation, format, steps, value, fragment)


def substitutions(asked: _Asked) -> dict[sp.Symbol, sp.Expr]:
    """Symbols that the given parameters fix, directly or through a definition."""
    problem, given, law = asked.problem, asked.given, asked.law
    numbers = {**vars(problem.channel), **vars(problem.estimator), "alpha": problem.alpha}
    values: dict[sp.Symbol, sp.Expr] = {
        sym.notation(name).symbol: sp.Rational(numbers[name])
        for name in _NUMBERS
        if name in given and name in numbers
    }
    if law is not None:
        ratio = asked.ratio
        values |= {
            sym.kappa0: ratio,
            sym.q0: law.strength,
            sym.w: 1 - ratio,
            **dict(law.parameters),
        }
        if asked.freedom == 1:
            values[sym.mean_size] = law.mean
        if "noise" in given:
            values[sym.q_label] = label_strength(law.strength, sp.Rational(problem.channel.noise))
    penalty = problem.estimator.penalty
    if penalty is not None and "lam" in given:
        values[sym.lam_f] = 2 * sp.Rational(penalty.quadratic)
        if "kappa" in given or penalty.width is None:
            linear = penalty.linear
            values[sym.lam_tilde] = sp.sqrt(sp.Rational(linear.radicand)) * sp.Rational(
                linear.factor
            )
    if given & {"tokens", "channel"}:
        rank = sp.Integer(problem.label_rank)
        values[sym.tokens] = sp.Integer(problem.channel.tokens)
        values[sym.label_rank] = rank
        if "alpha" in given:
            values[sym.a] = sp.Rational(problem.alpha) * rank
    return values


def value_at(derivation: Derivation, asked: _Asked) -> str | None:
    """The threshold's number, in a and as alpha for the given tokens, if enough is given."""
    law, noise = asked.law, asked.problem.channel.noise
    if law is None or derivation.numeric is None:
        return None
    if derivation.key == "collapse":
        if "alpha" not in asked.given or not asked.problem.channel.linear:
            return None
        taken: tuple[Any, ...] = (asked.problem.alpha, law, noise)
        return f"lam_tilde = {_digits(derivation.numeric(*taken, 'arb', VALUE_DIGITS))}"
    if derivation.key == "interpolation" and "noise" in asked.given and noise > 0:
        taken = (law, noise)
    elif derivation.key in ("perfect-recovery", "bayes"):
        taken = (Fraction(str(asked.ratio)),)
    else:
        return None
    ball = derivation.numeric(*taken, arithmetic="arb", digits=VALUE_DIGITS)
    shown = f"a = {_digits(ball)}"
    if asked.given & {"tokens", "channel"}:
        with arithmetic_named("arb", VALUE_DIGITS).precision():
            alpha = _digits(ball / asked.problem.label_rank)
        return f"{shown}, alpha = a/D = {alpha} for T = {asked.problem.channel.tokens}"
    return f"{shown}, alpha = a/D; the number of tokens fixes D"


def _digits(ball: flint.arb) -> str:
    return ball.str(VALUE_DIGITS, radius=False)
