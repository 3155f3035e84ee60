"""The exponent table as a page of the documentation."""

from __future__ import annotations

from collections.abc import Sequence

from solver.scaling import Row


def scaling_page(rows: Sequence[Row], gammas: str) -> str:
    """Markdown: the exponent and the constant of every phase, numerical against predicted."""
    lines = [
        "# Scaling laws of power-law targets",
        "",
        "One token, factorised training, eigenvalues sqrt(d) i^-gamma, two points of each",
        "phase of [theory.md](theory.md) section 14. `slope` is the local exponent of the",
        "numerical solution in n (at the peak in lam) with its error bar; `predicted` is that",
        "of the phase; `constant` is the squared error over the predicted one (in phase V",
        "over its exact form, whose exponent reaches 2/5 only as n/d^2 -> 0). What exceeds",
        "the error bars is not noise: it is how far the leading power is from the numerical",
        "solution at that point.",
        "",
        "Phases V and VIa also need delta much larger than Tr S0/d, and the peak needs",
        "epsilon much larger than it. For gamma < 1, Tr S0/d falls only as d^(1/2 - gamma),",
        "and at d = 1e10 the lines for gamma = 0.75 miss: the peak's constant 0.12 at lam =",
        "1e-6 becomes 0.94 at d = 1e16.",
        "",
        "For gamma = 2 few modes are recovered, and each leaves a step: slopes wave around the",
        "prediction by up to 0.15 at the first point of phase II. Modes one by one, trained heads",
        "and what departs from theory: [power-laws.md](power-laws.md).",
        "",
        f"Made by `attlas scaling --table {gammas} --out docs/scaling.md`.",
        "",
        "| phase | gamma | d | n | lam | slope | predicted | constant |",
        "|---|---|---|---|---|---|---|---|",
    ]
    lines += [
        f"| {row.phase} | {row.gamma:g} | {row.d:.0e} | {row.n:.2e} | {row.lam:.2e} | "
        f"{row.slope.value:.4f} ± {row.slope.error:.1g} | {row.predicted:.4f} | "
        f"{row.constant.value:.4f} |"
        for row in rows
    ]
    return "\n".join(lines) + "\n"
