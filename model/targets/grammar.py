"""The ``--target`` grammar: a name, a colon, and what that target makes of the rest.

A new target is one file with a ``from_grammar`` and one line in :data:`TARGETS`.
"""

from __future__ import annotations

from collections.abc import Callable

from attlas.model.errors import BadInput, unknown_name
from attlas.model.targets.atoms import Atoms
from attlas.model.targets.power_law import PowerLaw
from attlas.model.targets.spiked import Spiked
from attlas.model.targets.target import Target
from attlas.model.targets.wishart import Wishart

#: Reader of each target, by the name that stands before the colon.
TARGETS: dict[str, Callable[[str], Target]] = {
    Wishart.name: Wishart.from_grammar,
    Atoms.name: Atoms.from_grammar,
    Atoms.inline_name: Atoms.from_inline,
    PowerLaw.name: PowerLaw.from_grammar,
    Spiked.name: Spiked.from_grammar,
}


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
    name, _, rest = text.strip().partition(":")
    if name not in TARGETS:
        raise unknown_name("target", name, TARGETS)
    try:
        return TARGETS[name](rest)
    except BadInput as error:
        if error.parameter.partition(" ")[0] == "target":
            raise
        raise error.within(f"target {name}") from None
