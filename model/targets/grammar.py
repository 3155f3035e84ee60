"""The ``--target`` grammar: a name, a colon, and what that target makes of the rest."""

from __future__ import annotations

from collections.abc import Callable

from attlas.model.registry import Registry
from attlas.model.targets.target import Target

#: Reader of each target, by the name that stands before the colon.
TARGETS: Registry[Callable[[str], Target]] = Registry("target", "target", base=Target)


def target_from(text: str) -> Target:
    """Read a target as the command line writes it; the inverse of :meth:`Target.grammar`.

    Parameters
    ----------
    text : str
        ``wishart:kappa0=0.5``, ``power-law:gamma=1.25,d=400``, ``file:PATH``, ``atoms:2/1.5/1``,
        ``spiked:spikes=2/1.5,d=200`` or ``spiked:spikes=8,background=wishart:kappa0=0.1``.

    Raises
    ------
    BadInput
        For an unknown name or key, a missing or invalid value, an unreadable file.
    """
    name, reader, rest = TARGETS.named(text)
    with TARGETS.within(name):
        return reader(rest)
