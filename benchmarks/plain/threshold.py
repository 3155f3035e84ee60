"""The perfect-recovery threshold from its defining integral, by mpmath's quad and findroot."""

from __future__ import annotations

import mpmath


def perfect_recovery(kappa0: str, digits: int) -> str:
    """a_perf = kappa0 - kappa0^2/2 + min over tau / 2 (theory.md section 7), as text."""
    with mpmath.workdps(digits + 10):
        k = mpmath.mpf(kappa0)
        variance = 1 - k
        radius = 2 * mpmath.sqrt(variance)

        def semicircle(x):  # type: ignore[no-untyped-def]
            return mpmath.sqrt(4 * variance - x * x) / (2 * mpmath.pi * variance)

        def moment(power: int, tau):  # type: ignore[no-untyped-def]
            return mpmath.quad(lambda x: (x - tau) ** power * semicircle(x), [tau, radius])

        tau = mpmath.findroot(lambda t: k * t - (1 - k) * moment(1, t), radius * (1 - k) / 2)
        value = k - k**2 / 2 + (k * tau**2 + (1 - k) * moment(2, tau)) / 2
        return str(mpmath.nstr(mpmath.re(value), digits))
