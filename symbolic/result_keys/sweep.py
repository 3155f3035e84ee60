"""Keys of ``sweep``: the table, and the parameters that are no symbols."""

from __future__ import annotations

from attlas.model.parameters import PARAMETERS
from attlas.model.result_key import JSON_PAGE, ResultKey
from attlas.symbolic import notation as sym
from attlas.symbolic.result_keys.key import result_key, theory


def _key(key: str, meaning: str, domain: str) -> ResultKey:
    return result_key(key, ("sweep",), meaning, domain, JSON_PAGE)


_SYMBOLS = {entry.key for entry in sym.notations()}

KEYS = (
    result_key(
        "rows",
        ("sweep", "best-lambda"),
        "one entry for each problem: parameters, result keys, error bars",
        "list",
        JSON_PAGE,
    ),
    _key("out", "the file that was written; null without --out", "text or null"),
    _key("status", "how the solve ended: converged, collapsed, refused, ...", "text"),
    _key("message", "what to do where the row was not solved", "text"),
    _key("seconds", "wall time of the solve", "0 or more"),
    *(
        result_key(one.name, ("sweep",), one.meaning, one.valid, theory("1"))
        for one in PARAMETERS
        if one.name not in _SYMBOLS
    ),
)
