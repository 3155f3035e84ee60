"""A stored run as the judge sees it."""

from __future__ import annotations

from attlas.verify.judgement import Sample
from attlas.verify.store.rows import Row


def sample_of(run: Row, theory: Row) -> Sample:
    """A run beside the theory in a row: its own, or that of a control."""
    return Sample(
        d=run.case.d,
        seed=run.case.seed,
        measured=run.measured,
        theory=theory.theory,
        theory_error=theory.theory_error,
        converged=run.converged,
    )
