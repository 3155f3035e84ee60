"""The one object that drives derivation, theory and simulation."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Literal, get_args

from attlas.model.channels import Channel
from attlas.model.errors import BadInput, unknown_name
from attlas.model.estimators import Estimator, Penalty
from attlas.model.exact import Number, positive, whole
from attlas.model.names import Part
from attlas.model.scores import Scores
from attlas.model.targets import SingularValues, Target
from attlas.model.tokens import Tokens

#: What the network outputs: its attention matrix, or the attended tokens (theory.md section 1).
Task = Literal["seq2lab", "seq2seq"]


@dataclass(frozen=True, init=False)
class Problem(metaclass=Part):
    """A target, a channel, an estimator, tokens and the amount of data.

    Parameters
    ----------
    target : Target
        The law of the teacher map S0.
    channel : Channel
        How scores become labels, and the loss.
    estimator : Estimator
        The penalty.
    tokens : Tokens, optional
        What the tokens are; by default their entries are independent N(0, 1). Their number in a
        sequence is the channel's.
    alpha : number > 0, optional
        Samples per squared dimension, n/d^2. Exactly one of ``alpha`` and ``n`` is given.
    n : int >= 1, optional
        Number of samples; needs a dimension: the target's, or ``d``.
    d : int >= 1, optional
        Token dimension, for a target that does not fix one. Only used with ``n``.
    task : {"seq2lab", "seq2seq"}
        Which output the loss compares. Both have the same limit; simulations differ at finite d.

    Raises
    ------
    BadInput
        Naming the parameter as on the command line, its value and the valid range.

    Notes
    -----
    All parameters are kept exactly (:class:`fractions.Fraction`). The object is hashable and
    carries no numerics. theory.md section 1.
    """

    target: Target
    channel: Channel
    estimator: Estimator
    alpha: Fraction
    task: Task
    tokens: Tokens

    def __init__(
        self,
        *,
        target: Target,
        channel: Channel,
        estimator: Estimator,
        alpha: Number | None = None,
        n: Number | None = None,
        d: Number | None = None,
        task: str = "seq2lab",
        tokens: Tokens | None = None,
    ) -> None:
        tokens = Tokens() if tokens is None else tokens
        for name, value, kind in (
            ("target", target, Target),
            ("channel", channel, Channel),
            ("estimator", estimator, Estimator),
            ("tokens", tokens, Tokens),
        ):
            if not isinstance(value, kind):
                raise BadInput(name, value, f"must be a {kind.__name__}")
        penalty = estimator.penalty  # which says where it cannot be one
        if not isinstance(penalty, Penalty | None):
            valid = f"must be an attlas.Penalty, or None{type(estimator).place}"
            raise BadInput("penalty", penalty, valid)
        target = _of_the_map(target, penalty is not None and not penalty.symmetric, estimator)
        if not estimator.scores(channel.tokens).symmetric and getattr(channel, "outcomes", ()):
            valid = f"must have labels that scores decide, for `training={estimator.name}`"
            raise BadInput("channel", channel.name, valid)
        if task not in get_args(Task):
            raise unknown_name("task", str(task), get_args(Task))
        if task not in channel.tasks:
            valid = f"must be {' or '.join(channel.tasks)} for the {channel.name} channel"
            raise BadInput("task", task, valid)
        object.__setattr__(self, "target", target)
        object.__setattr__(self, "channel", channel)
        object.__setattr__(self, "estimator", estimator)
        object.__setattr__(self, "alpha", _alpha(target, alpha, n, d))
        object.__setattr__(self, "task", task)
        object.__setattr__(self, "tokens", tokens.of_length(channel.tokens))

    @property
    def scores(self) -> Scores:
        """The scores that the head forms of a sample."""
        return self.estimator.scores(self.channel.tokens)

    @property
    def label_rank(self) -> int:
        """D, the number of combinations of scores that a label sees (theory.md section 7)."""
        return self.channel.rank_of(self.scores)

    def with_(self, **changes: object) -> Problem:
        """A copy with some of alpha, target, channel, estimator, tokens, task replaced."""
        fields = {name: getattr(self, name) for name in self.__dataclass_fields__}
        unknown = set(changes) - set(fields) - {"n", "d"}
        if unknown:
            raise unknown_name("Problem", sorted(unknown)[0], [*fields, "n", "d"])
        if "n" in changes:
            fields.pop("alpha")
        return Problem(**{**fields, **changes})  # type: ignore[arg-type]

    def samples(self, d: int) -> int:
        """n = alpha d^2 rounded to the nearest whole number, for a simulation at dimension d."""
        return round(self.alpha * d * d)


def require_problem(value: object, *, any_tokens: bool = False) -> Problem:
    """What was given, if it is a problem that the caller answers for.

    Parameters
    ----------
    value : object
    any_tokens : bool
        Whether the caller takes tokens into account; otherwise other than the usual ones are
        refused, so that none are ignored.

    Raises
    ------
    BadInput
    """
    if not isinstance(value, Problem):
        raise BadInput("problem", value, "must be an attlas.Problem")
    if not (any_tokens or value.tokens.is_default):
        name, text = next(iter(value.tokens.flat().items()))
        raise BadInput(
            name,
            text,
            "has no theory here, which is of independent Gaussian tokens",
            "leave it out",
        )
    return value


def require_isotropic(problem: Problem, why: str) -> Problem:
    """A problem whose tokens have no covariance; the norm and positions may be any.

    Parameters
    ----------
    problem : Problem
    why : str
        Ends the sentence "this covariance has no theory here: ...".

    Raises
    ------
    BadInput
    """
    covariance = problem.tokens.covariance
    if covariance is not None:
        raise BadInput(
            "token_covariance", covariance.grammar(), f"has no theory here: {why}", "leave it out"
        )
    return problem


def _of_the_map(target: Target, singular: bool, estimator: Estimator) -> Target:
    """The target as a law of what the estimator's maps have: eigenvalues or singular values."""
    if target.singular and not singular:
        raise BadInput(
            "target",
            target.grammar(),
            f"must be symmetric for `training={estimator.name}`",
            "take `training=untied`, or a target such as wishart:kappa0=0.5",
        )
    return SingularValues(target) if singular and not target.singular else target


def _alpha(target: Target, alpha: Number | None, n: Number | None, d: Number | None) -> Fraction:
    if d is not None:
        d = whole("d", d, at_least=1)
        if target.dimension is not None and d != target.dimension:
            raise BadInput("d", d, f"must be the target's dimension, {target.dimension}")
    if alpha is not None and n is not None:
        raise BadInput("n", n, "cannot be given together with `alpha`")
    if alpha is not None:
        return positive("alpha", alpha)
    if n is None:
        raise BadInput("alpha", None, "a number greater than 0 is required", "or give `n` with `d`")
    samples = whole("n", n, at_least=1)
    dimension = target.dimension or d
    if dimension is None:
        raise BadInput("n", n, "needs a dimension", "give `d`, or `alpha` instead")
    return Fraction(samples, int(dimension) ** 2)
