"""Every key of every result: what it is, where it may lie, which command prints it.

One file for each group of commands. A name may have several meanings, told apart by the command.
"""

from __future__ import annotations

from collections import defaultdict

from attlas.symbolic.result_keys import (
    best_lambda,
    decompose,
    documents,
    errors,
    scaling,
    simulate,
    spectrum,
    studies,
    sweep,
    thresholds,
    verify,
    weights,
)
from attlas.symbolic.result_keys.key import ResultKey

__all__ = ["PRINTED_SYMBOLS", "RESULT_KEYS", "ResultKey"]

_GROUPS = (
    errors,
    decompose,
    best_lambda,
    thresholds,
    spectrum,
    weights,
    simulate,
    sweep,
    scaling,
    studies,
    verify,
    documents,
)


def _by_name() -> dict[str, tuple[ResultKey, ...]]:
    found: defaultdict[str, list[ResultKey]] = defaultdict(list)
    for group in _GROUPS:
        for entry in group.KEYS:
            found[entry.key].append(entry)
    return {key: tuple(entries) for key, entries in found.items()}


#: By name, the key's meanings.
RESULT_KEYS: dict[str, tuple[ResultKey, ...]] = _by_name()

_SOLVED = ("solve", "simulate", "sweep", "phase")
#: Symbols of the notation that are keys with the same meaning, and the commands that print them.
PRINTED_SYMBOLS: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(("q", "m", "sigma", "q_hat", "m_hat", "sigma_hat"), _SOLVED),
    "eta": (*_SOLVED, "spectrum"),
    **dict.fromkeys(("delta", "epsilon"), (*_SOLVED, "spectrum", "scaling")),
    "mse": (*_SOLVED, "decompose", "spectrum", "scaling"),
    "alpha": ("sweep", "phase", "decompose", "spectrum", "scaling"),
    "lam": ("sweep", "phase", "spectrum", "scaling"),
    "noise": ("sweep", "phase", "scaling"),
    "tokens": ("sweep", "scaling"),
    "kappa0": ("sweep", "phase"),
    **dict.fromkeys(("kappa", "beta", "beta0"), ("sweep",)),
}
