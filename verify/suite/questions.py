"""A stored run as the judge sees it, beside a theory or what somebody states in its place."""

from __future__ import annotations

from dataclasses import replace

from attlas.verify.claims.formula import Formula
from attlas.verify.judgement import Sample
from attlas.verify.simulation.pairing import paired_at
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


def stated(run: Row, formula: Formula) -> Row:
    """A run with what a formula states at its own teacher, in the place of its theory."""
    values = formula(paired_at(run.case))
    return replace(run, theory=values.present(), theory_error=values.error.present())
