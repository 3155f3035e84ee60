"""The free energy whose stationary points are the state-evolution equations."""

from __future__ import annotations

import sympy as sp

from attlas.symbolic import notation as sym
from attlas.symbolic.channels.channel import Channel
from attlas.symbolic.estimators import Estimator


def coupling_term(freedom: int = 1) -> sp.Expr:
    """The Legendre pairing of order parameters with their conjugates, for each free entry."""
    pairing = sym.q_hat * sym.sigma + 2 * sym.m_hat * sym.m - sym.sigma_hat * sym.q
    return freedom * pairing / 4


def free_energy(channel: Channel, estimator: Estimator) -> sp.Expr:
    """Phi as a function of the six order parameters, for any parts.

    Parameters
    ----------
    channel : Channel
        Gives the sample side, alpha M(sigma, m, q).
    estimator : Estimator
        Gives the matrix side, from its penalty.

    Notes
    -----
    theory.md section 3: its extremum is the limit of E[min L]/d^2.
    """
    return (
        coupling_term(estimator.freedom)
        + sym.alpha * channel.sample_term()
        + estimator.matrix_term()
    )
