"""How a solve ended, and what the user can do about it."""

from __future__ import annotations

from enum import Enum


class Status(Enum):
    """The outcome of a solver; the value of each member tells the user what to do."""

    CONVERGED = "Converged: the recomputed residual is below the tolerance."
    COLLAPSED = (
        "Full collapse: the penalty exceeds the largest useful one and S = 0 exactly; "
        "lower `lam` to learn anything."
    )
    NOT_CONVERGED = (
        "Did not converge: raise `max_steps` or `rtol`, or approach the point along alpha or lam "
        "from one that converges."
    )
    INACCURATE = (
        "Converged, but the integration error exceeds the tolerance asked for: raise `rtol`, or "
        "accept the stated error."
    )
    OUT_OF_RANGE = (
        "The solution leaves the range of double precision: bring the parameters, and the "
        "target's eigenvalues, nearer to one."
    )

    @property
    def ok(self) -> bool:
        """Whether the values can be used, within their stated errors."""
        return self in (Status.CONVERGED, Status.COLLAPSED)
