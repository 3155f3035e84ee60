"""The algorithms that train a head, by name. One file each; a new one adds one line here."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module

from attlas.model.errors import unknown_name
from attlas.verify.training.task import Trained, Training

#: Which covariance of the scores message passing uses: the sample's own, or 1 + delta_ab.
ONSAGER: tuple[str, ...] = ("sample", "mean")

Algorithm = Callable[[Training], Trained]

#: name -> "module:function". Modules are imported when used, so that listing names needs no torch.
ALGORITHMS: dict[str, str] = {
    "adam": "attlas.verify.training.gradient:train",
    "amp": "attlas.verify.training.amp.training:train",
    "fista": "attlas.verify.training.fista:train",
    "staged": "attlas.verify.training.staged:train",
}


def algorithm(name: str) -> Algorithm:
    """The algorithm of that name.

    Raises
    ------
    BadInput
        Naming the nearest valid name.
    """
    if name not in ALGORITHMS:
        raise unknown_name("algorithm", name, ALGORITHMS)
    module, _, function = ALGORITHMS[name].partition(":")
    return getattr(import_module(module), function)
