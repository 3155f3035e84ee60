"""A problem as flat parameters: what the command line, sweeps and stored rows use."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal

from attlas.model.channels import Channel, LinearChannel, SoftmaxChannel
from attlas.model.errors import BadInput, unknown_name
from attlas.model.estimators import ESTIMATORS, Estimator
from attlas.model.exact import decimal_text, exact, whole
from attlas.model.problem import Problem, require_problem
from attlas.model.targets import Target, Wishart, target_from


@dataclass(frozen=True)
class Parameter:
    """One flat parameter of a problem.

    Attributes
    ----------
    name : str
        Python keyword and column name.
    kind : {"number", "whole", "text"}
        What its values are.
    default : str or None
        Value when it is not given; None where there is none.
    meaning, valid : str
        For help and messages.
    """

    name: str
    kind: Literal["number", "whole", "text"]
    default: str | None
    meaning: str
    valid: str

    @property
    def flag(self) -> str:
        """The parameter as the command line writes it."""
        return f"--{self.name}"


_TRAININGS = ", ".join(ESTIMATORS)

PARAMETERS: tuple[Parameter, ...] = (
    Parameter("alpha", "number", None, "data: samples over d^2", "greater than 0"),
    Parameter("n", "whole", None, "samples, instead of alpha; needs a d", "whole, 1 or more"),
    Parameter(
        "d", "whole", None, "token dimension, unless the target fixes it", "whole, 1 or more"
    ),
    Parameter("lam", "number", None, "penalty, in a loss summed over samples", "0 or greater"),
    Parameter("kappa", "number", "1", "width of the student over d", "greater than 0"),
    Parameter("kappa0", "number", None, "rank of a Wishart teacher over d", "greater than 0"),
    Parameter(
        "tokens", "whole", "2", "tokens in a sequence; 1 is the linear channel", "whole, 1 or more"
    ),
    Parameter("beta", "number", "1", "inverse temperature of the student", "greater than 0"),
    Parameter("beta0", "number", "1", "inverse temperature of the teacher", "greater than 0"),
    Parameter("noise", "number", "0", "variance of the label noise (Delta)", "0 or greater"),
    Parameter(
        "target",
        "text",
        "wishart",
        "law of the teacher map",
        "wishart:kappa0=0.5, power-law:gamma=1.25,d=400, spiked:spikes=2/1.5,d=200 (or "
        "background=wishart:kappa0=0.1), file:PATH (eigenvalues) or atoms:2/1.5/1",
    ),
    Parameter("training", "text", "factorised", "what is trained, and its penalty", _TRAININGS),
    Parameter("task", "text", "seq2lab", "output that the loss compares", "seq2lab, seq2seq"),
)

PARAMETER_NAMES: tuple[str, ...] = tuple(parameter.name for parameter in PARAMETERS)

_BY_NAME = {parameter.name: parameter for parameter in PARAMETERS}


def problem_from(**flat: Any) -> Problem:
    """Build a problem from flat parameters.

    Parameters
    ----------
    **flat
        Any of :data:`PARAMETER_NAMES`; None means not given. Numbers may be exact strings
        (``"1/3"``); ``target`` may be a :class:`Target` or its command-line text.

    Raises
    ------
    BadInput
        For an unknown parameter (the nearest valid one is named), a missing one, one out of range,
        or one that has no meaning beside the others.
    """
    for name in flat:
        if name not in _BY_NAME:
            raise unknown_name("parameter", name, PARAMETER_NAMES)
    given = {name: value for name, value in flat.items() if value is not None}
    return Problem(
        target=_target(given),
        channel=_channel(given),
        estimator=_estimator(given),
        alpha=given.get("alpha"),
        n=given.get("n"),
        d=given.get("d"),
        task=given.get("task", _BY_NAME["task"].default),
    )


def parameters_of(problem: Problem) -> dict[str, str | int]:
    """The flat parameters of a problem, exactly; the inverse of :func:`problem_from`.

    Returns
    -------
    dict
        In the order of :data:`PARAMETERS`. Numbers are exact strings (``"0.1"``, ``"1/3"``), counts
        are ints. Parameters without meaning for the problem are absent. ``n`` and ``d`` are
        expressed by ``alpha`` and by the target.
    """
    problem = require_problem(problem)
    tokens = {} if isinstance(problem.channel, SoftmaxChannel) else {"tokens": 1}
    kappa0 = {"kappa0": problem.target.kappa0} if isinstance(problem.target, Wishart) else {}
    values = {
        "alpha": problem.alpha,
        **tokens,
        **_fields_of(problem.channel),
        **_fields_of(problem.estimator),
        **kappa0,
        "target": problem.target.grammar(),
        "training": problem.estimator.name,
        "task": problem.task,
    }
    return {name: _flat(values[name]) for name in PARAMETER_NAMES if name in values}


def _flat(value: Any) -> str | int:
    return decimal_text(value) if isinstance(value, Fraction) else value


def _fields_of(part: Channel | Estimator) -> dict[str, Any]:
    return {field.name: getattr(part, field.name) for field in dataclasses.fields(part)}  # type: ignore[arg-type]


def _target(given: dict[str, Any]) -> Target:
    target = given.get("target", _BY_NAME["target"].default)
    kappa0 = given.get("kappa0")
    if isinstance(target, str):
        if target.strip() == Wishart.name:
            return Wishart(kappa0)
        target = target_from(target)
    if not isinstance(target, Target):
        raise BadInput("target", target, "must be text such as wishart:kappa0=0.5")
    if kappa0 is not None and not (
        isinstance(target, Wishart) and target.kappa0 == exact("kappa0", kappa0)
    ):
        raise BadInput(
            "kappa0", kappa0, f"conflicts with `target={target.grammar()}`", "give one of the two"
        )
    return target


def _channel(given: dict[str, Any]) -> Channel:
    tokens = whole("tokens", given.get("tokens", _BY_NAME["tokens"].default), at_least=1)
    if tokens == 1:
        for name in ("beta", "beta0"):
            if name in given:
                raise BadInput(
                    name,
                    given[name],
                    "has no meaning for the linear channel of `tokens=1`",
                    "leave it out, or take 2 tokens or more",
                )
        return LinearChannel(noise=given.get("noise", 0))
    chosen = {name: given[name] for name in ("beta", "beta0", "noise") if name in given}
    return SoftmaxChannel(tokens=tokens, **chosen)


def _estimator(given: dict[str, Any]) -> Estimator:
    training = given.get("training", _BY_NAME["training"].default)
    if training not in ESTIMATORS:
        raise unknown_name("training", str(training), ESTIMATORS)
    estimator = ESTIMATORS[training]
    takes = {field.name for field in dataclasses.fields(estimator)}  # type: ignore[arg-type]
    for name in ("lam", "kappa"):
        if name in given and name not in takes:
            raise BadInput(
                name,
                given[name],
                f"has no meaning for `training={training}`",
                "leave it out",
            )
    if "lam" in takes and "lam" not in given:
        raise BadInput("lam", None, "a number 0 or greater is required")
    return estimator(**{name: given[name] for name in takes if name in given})
