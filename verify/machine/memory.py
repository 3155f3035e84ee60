"""The memory that a run needs, compared with what there is before any of it is taken."""

from __future__ import annotations

import os
from pathlib import Path

from attlas.model.errors import BadInput

#: Limit of a container, or of a job, in bytes or "max".
_CONTROL_GROUP = Path("/sys/fs/cgroup/memory.max")

_GB = 2**30


def memory() -> float:
    """Bytes that this process may hope for; infinite where the system does not tell."""
    try:
        found = float(os.sysconf("SC_PHYS_PAGES")) * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, OSError, ValueError):
        return float("inf")
    try:
        return min(found, float(_CONTROL_GROUP.read_text(encoding="ascii")))
    except (OSError, ValueError):  # no such group, or no limit
        return found


def require_memory(d: int, numbers: int, advice: str) -> None:
    """Refuse what cannot fit, instead of being killed for it.

    Parameters
    ----------
    d : int
        Token dimension, which the error names.
    numbers : int
        Double precision numbers that are held at once at the least.
    advice : str
        What to lower.

    Raises
    ------
    BadInput
    """
    needed, there = 8 * numbers / _GB, memory() / _GB
    if needed > there:
        raise BadInput(
            "d",
            d,
            f"needs at least {needed:.3g} GB of memory here, and this machine has {there:.3g} GB",
            advice,
        )
