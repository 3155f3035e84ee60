"""A problem as flat parameters: what the command line, sweeps and stored rows use."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any, Literal

from attlas.model.channels import CHANNELS, Channel, channel_of
from attlas.model.channels.channel import READERS
from attlas.model.errors import BadInput, told_if_accepted, unknown_name
from attlas.model.estimators import ESTIMATORS, Estimator, estimator_from
from attlas.model.exact import Number, decimal_text, exact, whole
from attlas.model.fields import read_fields
from attlas.model.plugins import digest, file_of
from attlas.model.problem import Problem, require_problem
from attlas.model.targets import Product, Target, Wishart, target_from
from attlas.model.tokens import Tokens


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
        return f"--{self.name.replace('_', '-')}"


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
    Parameter("tokens", "whole", "2", "tokens in a sequence", "whole, 1 or more"),
    Parameter(
        "keys",
        "text",
        None,
        "keys that an untied head's queries attend to; by default as many as tokens",
        "whole, 1 or more, of other tokens; or masked: the sequence's own, without the diagonal",
    ),
    Parameter(
        "channel",
        "text",
        None,
        "how scores become labels, and the loss; by default softmax, linear for one token",
        ", ".join(CHANNELS),
    ),
    Parameter("beta", "number", "1", "inverse temperature of the student", "greater than 0"),
    Parameter("beta0", "number", "1", "inverse temperature of the teacher", "greater than 0"),
    Parameter("noise", "number", "0", "variance of the label noise (Delta)", "0 or greater"),
    Parameter(
        "target",
        "text",
        "wishart",
        "law of the teacher map; product for untied training",
        "wishart:kappa0=0.5, product:kappa0=0.5, power-law:gamma=1.25,d=400, "
        "spiked:spikes=2/1.5,d=200 (or background=wishart:kappa0=0.1), file:PATH "
        "(eigenvalues, or S0) or atoms:2/1.5/1",
    ),
    Parameter("training", "text", "factorised", "what is trained, and its penalty", _TRAININGS),
    Parameter(
        "tokens_law",
        "text",
        "gaussian",
        "law of the tokens' entries",
        "gaussian, rademacher, sphere, normalised, three-point, student:nu=7 or kurtosis:k=-2",
    ),
    Parameter(
        "token_covariance",
        "text",
        None,
        "covariance of the tokens' coordinates, of mean 1",
        "atoms:0.25/1.75 (equal weights), ar1:rho=0.5, power-law:a=1,d=400 or file:PATH "
        "(eigenvalues, or the covariance)",
    ),
    Parameter(
        "token_positions",
        "text",
        None,
        "correlation of the positions of a sequence",
        "ar1:rho=0.3 or rows:1,0.3:0.3,1",
    ),
    Parameter("task", "text", "seq2lab", "output that the loss compares", "seq2lab, seq2seq"),
)

PARAMETER_NAMES: tuple[str, ...] = tuple(parameter.name for parameter in PARAMETERS)

#: Those that are fields of the tokens; their number is the channel's.
_TOKENS = {
    "tokens_law": "law",
    "token_covariance": "covariance",
    "token_positions": "positions",
}

#: Parameters of estimators that have flags of their own; others stand in ``training``.
_ESTIMATOR_FLAGS = ("lam", "kappa", "keys")

_BY_NAME = {parameter.name: parameter for parameter in PARAMETERS}

#: The flags that are fields of a channel.
_CHANNEL_FLAGS = READERS.keys()


def problem_from(**flat: Any) -> Problem:
    """Build a problem from flat parameters.

    Parameters
    ----------
    **flat
        Any of :data:`PARAMETER_NAMES`, and the estimator's own; None means not given. Numbers may
        be exact strings (``"1/3"``); ``target`` and ``channel`` may be objects or their
        command-line text.

    Raises
    ------
    BadInput
        For an unknown parameter (the nearest valid one is named), a missing one, one out of range,
        or one that has no meaning beside the others.
    """
    return _problem(_known(flat))


def completed(
    given: Mapping[str, Any], fill: Number | None = 1, kappa0: Number | None = None
) -> Problem:
    """The problem of flat parameters that leave out what is not asked about: any alpha will do.

    Parameters
    ----------
    given : mapping
        As :func:`problem_from` takes them.
    fill : number, optional
        Stands for what the estimator requires and is missing, as lam.
    kappa0 : number, optional
        Stands for that of the target.

    Raises
    ------
    BadInput
        As :func:`problem_from`.
    """
    known = _known(given)
    if known.get("n") is None:
        known.setdefault("alpha", 1)
    if kappa0 is not None and known.get("target") in (None, Wishart.name, Product.name):
        known.setdefault("kappa0", kappa0)
    return _problem(known, fill)


def _known(flat: Mapping[str, Any]) -> dict[str, Any]:
    """The parameters that are given."""
    known = {*PARAMETER_NAMES, *_estimator_fields()}
    for name in flat:
        if name not in known:
            raise unknown_name("parameter", name, known)
    return {name: value for name, value in flat.items() if value is not None}


def _problem(given: dict[str, Any], fill: Number | None = None) -> Problem:
    with told_if_accepted():
        estimator = _estimator(given, fill)
        return Problem(
            target=_target(given, estimator),
            channel=channel_from(given),
            estimator=estimator,
            alpha=given.get("alpha"),
            n=given.get("n"),
            d=given.get("d"),
            task=given.get("task", _BY_NAME["task"].default),
            tokens=Tokens(**{key: given[name] for name, key in _TOKENS.items() if name in given}),
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
    problem = require_problem(problem, any_tokens=True)
    estimator, ratio = problem.estimator, problem.target.factor_ratio
    kappa0 = {} if ratio is None else {"kappa0": ratio}
    values = {
        "alpha": problem.alpha,
        **_channel_fields(problem.channel),
        **{key: getattr(estimator, key) for key in _ESTIMATOR_FLAGS if key in estimator.fields()},
        **kappa0,
        "target": problem.target.grammar(),
        "training": _training(problem.estimator),
        **problem.tokens.flat(),
        "task": problem.task,
    }
    names = (name for name in PARAMETER_NAMES if values.get(name) is not None)
    return {name: _flat(values[name]) for name in names}


def files_of(problem: Problem) -> list[Path]:
    """The files that a problem's parts are written in, where these are not of attlas."""
    tokens = problem.tokens
    parts = (problem.target, problem.channel, problem.estimator, tokens.law, tokens.covariance)
    return [file for file in dict.fromkeys(file_of(type(part)) for part in parts) if file]


def plugins_of(problem: Problem) -> dict[str, str]:
    """Those files as ``plugin``, each with a digest of it, by which what is stored is known."""
    found = ", ".join(map(digest, files_of(problem)))
    return {"plugin": found} if found else {}


def _flat(value: Any) -> str | int:
    return decimal_text(value) if isinstance(value, Fraction) else value


def _fields_of(part: Channel) -> dict[str, Any]:
    return {field.name: getattr(part, field.name) for field in dataclasses.fields(part)}  # type: ignore[arg-type]


def _target(given: dict[str, Any], estimator: Estimator) -> Target:
    penalty = estimator.penalty
    own = Wishart if penalty is None or penalty.symmetric else Product
    target, kappa0 = given.get("target", own.name), given.get("kappa0")
    if isinstance(target, str):
        for kind in (Wishart, Product):
            if target.strip() == kind.name:
                return kind(kappa0)
        target = target_from(target)
    if not isinstance(target, Target):
        raise BadInput("target", target, "must be text such as wishart:kappa0=0.5")
    if kappa0 is not None and target.factor_ratio != exact("kappa0", kappa0):
        raise BadInput(
            "kappa0", kappa0, f"conflicts with `target={target.grammar()}`", "give one of the two"
        )
    return target


def channel_from(given: Mapping[str, Any]) -> Channel:
    """The channel that flat parameters describe; the others are not looked at.

    Raises
    ------
    BadInput
        For an unknown channel, or one of its parameters that is unknown or out of range.
    """
    named = given.get("channel")
    if isinstance(named, Channel):
        kind, fields = type(named), _fields_of(named)
    else:
        kind, fields = _named_channel(named, given)
    takes = kind.fields()
    for name in _CHANNEL_FLAGS & given.keys():
        if name in takes:
            fields[name] = given[name]
        elif name == "tokens" and exact("tokens", given[name]) == kind.tokens:
            continue
        else:
            raise BadInput(
                name,
                given[name],
                f"has no meaning for the {kind.name} channel",
                f"it has `tokens={kind.tokens}`" if name == "tokens" else "leave it out",
            )
    return kind(**fields)


def _named_channel(text: Any, given: Mapping[str, Any]) -> tuple[type[Channel], dict[str, Any]]:
    """The channel of ``name:key=value,key=value``, and its fields that stand there."""
    if text is None:
        tokens = whole("tokens", given.get("tokens", _BY_NAME["tokens"].default), at_least=1)
        return type(channel_of(tokens)), {}
    name, kind, rest = CHANNELS.named(text)
    own = [field for field in kind.fields() if field not in _BY_NAME]
    with CHANNELS.within(name):
        return kind, dict(read_fields(name, rest, known=own, part="channel"))


def _channel_fields(channel: Channel) -> dict[str, Any]:
    """Its flat parameters: the name where it is not the default, with the fields without a flag."""
    fields = {"tokens": channel.tokens, **_fields_of(channel)}
    own = {name: fields.pop(name) for name in channel.fields() if name not in _BY_NAME}
    if type(channel) is not type(channel_of(channel.tokens)):
        pairs = ",".join(f"{name}={_flat(value)}" for name, value in own.items())
        fields["channel"] = f"{channel.name}:{pairs}" if pairs else channel.name
    return fields


def _estimator(given: dict[str, Any], fill: Number | None = None) -> Estimator:
    training = given.get("training", _BY_NAME["training"].default)
    own = {*_ESTIMATOR_FLAGS, *_estimator_fields()}
    own_given = {key: value for key, value in given.items() if key in own}
    return estimator_from(training, own_given, fill=fill)


def _estimator_fields() -> set[str]:
    """Parameters that some estimator has and no other part of a problem."""
    fields = {name for cls in ESTIMATORS.values() for name in cls.fields()}
    return fields - set(PARAMETER_NAMES)


def _training(estimator: Estimator) -> str:
    """An estimator's name, with the parameters that are not flat ones of every problem."""
    own = [name for name in estimator.fields() if name not in _ESTIMATOR_FLAGS]
    fields = ",".join(f"{name}={decimal_text(getattr(estimator, name))}" for name in own)
    return f"{estimator.name}:{fields}" if fields else estimator.name
