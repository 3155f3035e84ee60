"""The ``--target`` grammar: a name, a colon, and what that target makes of the rest."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from attlas.model.errors import BadInput
from attlas.model.registry import Registry
from attlas.model.targets.target import Target

T = TypeVar("T", bound=type[Target])

#: Reader of each target, by the name that stands before the colon.
TARGETS: Registry[Callable[[str], Target]] = Registry("target", "target")


def register(cls: T) -> T:
    """Put a target on the command line, under its ``name``; also a decorator.

    Raises
    ------
    BadInput
        If it is no :class:`Target` with a name, says neither its eigenvalues nor its R-transform,
        or has the name of another.
    """
    if not (isinstance(cls, type) and issubclass(cls, Target) and getattr(cls, "name", "")):
        raise BadInput("target", cls, "must be a subclass of attlas.Target with a name")
    known = any(getattr(cls, key) is not getattr(Target, key) for key in ("eigenvalues", "draw"))
    if (
        not known
        and cls.r_transform is Target.r_transform
        and "eigenvalues" not in vars(cls).get("__dataclass_fields__", {})
    ):
        raise BadInput("target", cls.name, "must have eigenvalues or an r_transform(g)")
    for name, reader in cls.readers().items():
        TARGETS.add(name, reader)
    return cls


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
