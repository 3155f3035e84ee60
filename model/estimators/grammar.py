"""The ``--training`` grammar: a name, and its own parameters after a colon."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from typing import Any

from attlas.model.errors import BadInput
from attlas.model.estimators.bayes import BayesOptimal
from attlas.model.estimators.direct import Direct, DirectPSD
from attlas.model.estimators.estimator import Estimator
from attlas.model.estimators.factorised import Factorised, WidthLimited
from attlas.model.estimators.untied import Untied
from attlas.model.exact import Number, exact
from attlas.model.fields import read_fields
from attlas.model.registry import Registry

#: The estimator of each ``--training``, by name.
ESTIMATORS: Registry[type[Estimator]] = Registry("training", "estimator", base=Estimator)
for _one in (Factorised, Direct, DirectPSD, WidthLimited, Untied, BayesOptimal):
    ESTIMATORS.register(_one)


def estimator_from(
    text: str, given: Mapping[str, Any] | None = None, *, fill: Number | None = None
) -> Estimator:
    """Read an estimator as the command line writes it.

    Parameters
    ----------
    text : str
        ``factorised``, or ``elastic:ridge=0.1,lam=0.01``: any of the estimator's parameters.
    given : mapping, optional
        Parameters that stand elsewhere, as flags.
    fill : number, optional
        Value of every parameter that is required and missing, where only the kind is wanted.

    Raises
    ------
    BadInput
        For an unknown name or parameter, a missing or invalid value, one given twice.
    """
    name, cls, rest = ESTIMATORS.named(text)
    with ESTIMATORS.within(name):
        own = read_fields(name, rest, known=cls.fields(), part="training")
    for key, value in (given or {}).items():
        if key not in cls.fields():
            raise BadInput(key, value, f"has no meaning for `training={name}`", "leave it out")
        if key in own and exact(key, value) != exact(key, own[key]):
            raise BadInput(key, value, f"conflicts with `training={text}`", "give one of the two")
    values: dict[str, Any] = {**own, **(given or {})}
    for key, parameter in inspect.signature(cls).parameters.items():
        if key not in values and parameter.default is parameter.empty:
            valid = "a number 0 or greater is required" if key == "lam" else "a number is required"
            if fill is None:
                raise BadInput(key, None, valid)
            values[key] = fill
    return cls(**values)
