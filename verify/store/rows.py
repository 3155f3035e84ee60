"""What is stored of a run: a row, and the columns that it is kept in."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from decimal import Decimal
from fractions import Fraction
from typing import Any

import pyarrow as pa

from attlas.solver.solution import OBSERVABLE_KEYS
from attlas.verify.machine.environment import package_versions
from attlas.verify.store.case import FORMULA_VERSION, Case, exact_parameters

_NUMBERS = ("alpha", "lam", "kappa", "kappa0", "beta", "beta0", "noise")
_VERSIONS = tuple(package_versions())

_COLUMNS: list[tuple[str, pa.DataType]] = [
    ("address", pa.string()),
    ("source", pa.string()),
    ("formula_version", pa.int32()),
    ("problem", pa.string()),  # exact parameters as JSON; the columns below are rounded
    *((name, pa.float64()) for name in _NUMBERS),
    ("tokens", pa.int32()),
    ("target", pa.string()),
    ("training", pa.string()),
    ("task", pa.string()),
    ("d", pa.int32()),
    ("n", pa.int64()),
    ("seed", pa.int64()),
    ("algorithm", pa.string()),
    ("precision", pa.string()),
    ("centring", pa.string()),
    ("tokens_law", pa.string()),
    *((key, pa.float64()) for key in OBSERVABLE_KEYS),
    *((f"theory_{key}", pa.float64()) for key in OBSERVABLE_KEYS),
    *((f"theory_error_{key}", pa.float64()) for key in OBSERVABLE_KEYS),
    ("others", pa.string()),
    ("certificate", pa.float64()),
    ("converged", pa.bool_()),
    ("data_hash", pa.string()),
    ("device", pa.string()),
    ("arithmetic", pa.string()),
    ("seconds", pa.float64()),
    ("created", pa.string()),
    *((f"version_{name}", pa.string()) for name in _VERSIONS),
]

SCHEMA = pa.schema(_COLUMNS)

#: Columns about how a run went, as they stand in a row.
_RECORDED = ("certificate", "converged", "data_hash", "device", "arithmetic", "seconds")

#: Columns that every version has, and that every row has a value in.
NEEDED = frozenset({"address", "problem", "d", "seed", *_RECORDED})


@dataclass(frozen=True)
class Row:
    """One run beside its paired theory, or one run's theory under a control.

    Attributes
    ----------
    case : Case
    measured, theory, theory_error : mapping from result key to float or Decimal
        Empty where there is none (``measured`` of a control; ``theory`` without a solution). A
        Decimal keeps all its digits.
    certificate : float
        Gradient certificate of the run.
    converged : bool
    data_hash : str
        Digest of teacher and data.
    device : str
    arithmetic : str
        Precision of each stage of training.
    seconds : float
    """

    case: Case
    measured: Mapping[str, Any] = field(default_factory=dict)
    theory: Mapping[str, Any] = field(default_factory=dict)
    theory_error: Mapping[str, Any] = field(default_factory=dict)
    certificate: float = float("nan")
    converged: bool = True
    data_hash: str = ""
    device: str = "cpu"
    arithmetic: str = ""
    seconds: float = 0.0

    def columns(self) -> dict[str, Any]:
        """The row as the columns of :data:`SCHEMA`; absent ones are null."""
        case = self.case
        parameters = exact_parameters(case.problem)
        rounded = {
            name: float(Fraction(str(parameters[name]))) for name in _NUMBERS if name in parameters
        }
        columns = {
            "address": case.address,
            "source": case.source,
            "formula_version": FORMULA_VERSION,
            "problem": json.dumps(parameters, sort_keys=True),
            **rounded,
            "tokens": parameters.get("tokens"),
            "target": parameters["target"],
            "training": parameters["training"],
            "task": case.problem.task,
            "d": case.d,
            "n": case.problem.samples(case.d),
            "seed": case.seed,
            "algorithm": case.algorithm,
            "precision": case.precision,
            "centring": case.centring,
            "tokens_law": case.problem.tokens.law.grammar(),
            **{key: float(value) for key, value in self.measured.items()},
            **{f"theory_{key}": float(value) for key, value in self.theory.items()},
            **{f"theory_error_{key}": float(value) for key, value in self.theory_error.items()},
            "others": _others(self),
            "certificate": self.certificate,
            "converged": self.converged,
            "data_hash": self.data_hash,
            "device": self.device,
            "arithmetic": self.arithmetic,
            "seconds": self.seconds,
            "created": datetime.now(UTC).isoformat(timespec="seconds"),
            **{f"version_{name}": version for name, version in package_versions().items()},
        }
        return {name: columns.get(name) for name in SCHEMA.names}

    @classmethod
    def of(cls, case: Case, columns: Mapping[str, Any]) -> Row:
        """The row of a case from its columns.

        Raises
        ------
        ValueError, ArithmeticError, AttributeError
            If what is measured besides the result keys cannot be read.
        """
        others = _numbers(json.loads(columns["others"] or "{}"))
        return cls(
            case=case,
            measured=_present(columns, "") | others.get("measured", {}),
            theory=_present(columns, "theory_") | others.get("theory", {}),
            theory_error=_present(columns, "theory_error_") | others.get("theory_error", {}),
            **{name: columns[name] for name in _RECORDED},
        )


def _others(row: Row) -> str | None:
    """What is measured besides the result keys, and every decimal, as JSON.

    Decimals are strings with all their digits; a result key's column holds the nearest float.
    """
    parts = {
        name: {
            key: str(value) if isinstance(value, Decimal) else value
            for key, value in getattr(row, name).items()
            if key not in OBSERVABLE_KEYS or isinstance(value, Decimal)
        }
        for name in ("measured", "theory", "theory_error")
    }
    kept = {name: part for name, part in parts.items() if part}
    return json.dumps(kept, sort_keys=True) if kept else None


def _numbers(others: Mapping[str, Mapping[str, Any]]) -> dict[str, dict[str, Any]]:
    return {
        name: {key: Decimal(v) if isinstance(v, str) else v for key, v in part.items()}
        for name, part in others.items()
    }


def _present(columns: Mapping[str, Any], prefix: str) -> dict[str, float]:
    values = {key: columns[prefix + key] for key in OBSERVABLE_KEYS}
    return {key: value for key, value in values.items() if value is not None}
