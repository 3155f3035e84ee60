"""Keys of documents that no class holds: one file for each group of commands."""

from __future__ import annotations

from attlas.model.result_key import ResultKey
from attlas.symbolic.result_keys import (
    documents,
    phase,
    scaling,
    spectrum,
    studies,
    sweep,
    verify,
)

LISTED: tuple[ResultKey, ...] = (
    *phase.KEYS,
    *spectrum.KEYS,
    *sweep.KEYS,
    *scaling.KEYS,
    *studies.KEYS,
    *verify.KEYS,
    *documents.KEYS,
)
