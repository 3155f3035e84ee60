# sympy's own annotations are narrower than what its functions return.
# pyright: reportArgumentType=false, reportCallIssue=false
"""Weight decay on factors is a nuclear norm of the map."""

from __future__ import annotations

from functools import cache

import sympy as sp

from attlas.symbolic import notation as sym
from attlas.symbolic.derivation import Derivation, Step, exactly

_D, _P = sp.symbols("d p", positive=True, integer=True)


@cache
def nuclear_norm() -> Derivation:
    """From lam ||W||_F^2 to d lam_tilde Tr S (theory.md section 2)."""
    equations = {
        "decay": sp.Eq(sym.decay, sp.sqrt(sym.kappa) * sym.nuclear, evaluate=False),
        "penalty": sp.Eq(sym.lam * sym.decay, sym.lam_tilde * sym.nuclear, evaluate=False),
        "weight": sp.Eq(sym.lam_tilde, sp.sqrt(sym.kappa) * sym.lam, evaluate=False),
        "untied": sp.Ge(
            (sym.left_norm**2 + sym.right_norm**2) / 2,
            sym.left_norm * sym.right_norm,
            evaluate=False,
        ),
    }
    return Derivation(
        key="nuclear-norm",
        title="Weight decay on the factors is a nuclear norm of the map",
        statement=(
            "Training W with the penalty lam ||W||_F^2 is training the positive map "
            "S = W W^T/sqrt(p d) with d lam_tilde ||S||_*: same minimal loss, same map. So it is "
            "for untied factors, S = U V^T/sqrt(p d) with lam (||U||_F^2 + ||V||_F^2)/2."
        ),
        equations=equations,
        assumptions=(
            "the width p is no constraint: p >= rank S at the minimum",
            "an untied map may have either sign: its nuclear norm is the sum of singular values",
        ),
        steps=(
            Step(
                "||W||_F^2 = Tr W W^T, S = W W^T/sqrt(p d)",
                "take the trace of S; a positive map has Tr S = ||S||_*; divide by d^2, p = kappa "
                "d. Every positive map of rank at most p is reached, so minimising over W is "
                "minimising over S",
                equations["decay"],
                exactly(_trace_difference),
            ),
            Step(
                equations["decay"],
                "multiply by lam",
                equations["penalty"],
                exactly(
                    lambda: (equations["penalty"].lhs - equations["penalty"].rhs).subs(
                        {sym.decay: equations["decay"].rhs, sym.lam_tilde: equations["weight"].rhs}
                    )
                ),
            ),
            Step(
                "gradient in W of loss(W W^T/c) + lam ||W||_F^2",
                "chain rule, c = sqrt(p d): H is the gradient in S of the loss plus c lam Tr S; a "
                "stationary W has (H + H^T) S = 0, and is no saddle where H + H^T >= 0",
                "(H + H^T) W/c",
                exactly(_chain_rule_difference),
            ),
            Step(
                "columns u, v of untied factors, which add u v^T to sqrt(p d) S",
                "the mean of squares is at least the product, with equality at equal lengths: "
                "balanced factors pay least, and then the nuclear norm",
                equations["untied"],
                exactly(
                    lambda: (
                        equations["untied"].lhs
                        - equations["untied"].rhs
                        - (sym.left_norm - sym.right_norm) ** 2 / 2
                    )
                ),
            ),
        ),
        source="section 2",
    )


def _factor(name: str) -> sp.Matrix:
    return sp.Matrix(3, 2, lambda i, j: sp.Symbol(f"{name}_{i}{j}", real=True))


def _trace_difference() -> sp.Expr:
    """||W||_F^2/d^2 less sqrt(kappa) Tr S/d, for a general W of three rows and two columns."""
    w = _factor("w")
    norm = (w.T * w).trace()
    trace = (w * w.T / sp.sqrt(_P * _D)).trace()
    return norm / _D**2 - sp.sqrt(_P / _D) * trace / _D


def _chain_rule_difference() -> sp.Expr:
    """Squared distance of both gradients, for a general quadratic loss of a 3 x 3 map."""
    w, c = _factor("w"), sp.sqrt(_P * _D)
    s = sp.Matrix(3, 3, lambda i, j: sp.Symbol(f"s_{i}{j}", real=True))
    first, second = (sp.Matrix(3, 3, lambda i, j, k=k: (i + 2 * j + k) ** 2 % 7) for k in (1, 3))
    loss = (first.T * s).trace() + (second.T * s).trace() ** 2
    at_w = dict(zip(s, w * w.T / c, strict=True))
    total = loss.subs(at_w) + sym.lam * (w.T * w).trace()
    h = sp.Matrix(3, 3, lambda i, j: sp.diff(loss + c * sym.lam * s.trace(), s[i, j])).subs(at_w)
    difference = w.applyfunc(lambda entry: sp.diff(total, entry)) - (h + h.T) * w / c
    return sp.expand((difference.T * difference).trace())
