"""Which seeds ``attlas simulate`` runs."""

from __future__ import annotations

from collections.abc import Sequence

from attlas.model import BadInput
from attlas.model.exact import whole

#: Runs of one command.
_MOST = 100_000


def read_seeds(seeds: str, first: str | None) -> Sequence[int]:
    """Read ``4`` (a number of seeds), ``30:34`` (from 30 to 33) or ``3,7``.

    Parameters
    ----------
    seeds : str
    first : str or None
        The first seed, when ``seeds`` is a number; 0 by default.

    Raises
    ------
    BadInput
        For anything else, no seed at all, or ``first`` beside a list or range.
    """
    start, colon, stop = seeds.partition(":")
    if first is not None and (colon or "," in seeds):
        raise BadInput("--seed", first, f"conflicts with --seeds {seeds}", "give one of the two")
    if colon:
        begin = whole("--seeds", start, at_least=0)
        return _counted(seeds, begin, whole("--seeds", stop, at_least=begin + 1) - begin)
    if "," in seeds:
        return [whole("--seeds", one, at_least=0) for one in seeds.split(",")]
    begin = whole("--seed", first or "0", at_least=0)
    return _counted(seeds, begin, whole("--seeds", seeds, at_least=1))


def _counted(seeds: str, begin: int, count: int) -> range:
    if count > _MOST:
        raise BadInput("--seeds", seeds, f"must be at most {_MOST} seeds")
    return range(begin, begin + count)
