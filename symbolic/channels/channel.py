# sympy's own annotations are narrower than what its functions return.
# pyright: reportReturnType=false
"""What a channel gives to the equations."""

from __future__ import annotations

from dataclasses import dataclass

import sympy as sp

from attlas.symbolic import notation as sym
from attlas.symbolic.functions import M


@dataclass(frozen=True)
class Channel:
    """How scores become labels and what misfit costs, as far as the free energy needs it.

    Attributes
    ----------
    name : str
    label_law, loss : str
        In words, for reports.
    label_rank : sympy.Expr
        D, the number of combinations of scores that a label sees.
    scale : sympy.Expr
        beta0/beta, the scale at which the student's labels equal the teacher's.
    closed_form : sympy.Expr or None
        M(sigma, m, q) where it is known in closed form.
    """

    name: str
    label_law: str
    loss: str
    label_rank: sp.Expr
    scale: sp.Expr
    closed_form: sp.Expr | None = None

    def sample_term(self) -> sp.Expr:
        """M as a function of (sigma, m, q): closed where known, otherwise undefined."""
        if self.closed_form is not None:
            return self.closed_form
        return M(sym.sigma, sym.m, sym.q)
