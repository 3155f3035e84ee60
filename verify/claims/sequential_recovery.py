"""Modes of a power-law target, recovered one after another by trained heads."""

from __future__ import annotations

from attlas.verify.claims.bands import band
from attlas.verify.claims.claim import Claim, Departure, Design, Quantity, Statement
from attlas.verify.claims.controls.power_laws import GAMMA_SHIFTED, NOISE_HALVED
from attlas.verify.claims.points.sequential_recovery import FEW, FOLLOWED, POINTS, SOFTMAX

_ALL = tuple(point.key for point in POINTS)
_SCORES = (
    "the largest eigenvalue of a power law is a fixed share of its norm, so that scores are not "
    "Gaussian at any dimension"
)
#: Deviations of pilot runs and their standard errors, which the rule makes the declared bands:
#: ``attlas scaling --study departures --seeds 40``.
PILOT = {
    (SOFTMAX, "test_error"): (0.1057, 0.0037),
    (FEW, "mse"): (0.128, 0.016),
    (FEW, "test_error"): (0.0464, 0.0057),
    (FEW, "captured_2"): (-0.0383, 0.0065),
    (FEW, "captured_3"): (-0.103, 0.025),
}

SEQUENTIAL_RECOVERY = Claim(
    id="sequential-recovery",
    title="Modes recovered one after another",
    statement=(
        "A head trained on a power-law target picks up its directions one after another: the "
        "share of each direction within the range of the trained map, and the squared error, are "
        "those of the state evolution once n exceeds d by far. At a fixed ratio n/d they depart, "
        "and the test error of softmax scores departs at any n, because scores are not Gaussian."
    ),
    equation="scaling",
    covers=Statement("14", "Directions of a power-law target are learned one after another."),
    measurement=(
        "Heads are trained on the same eigenvalues √d i^−γ with other directions and data for "
        "each seed. v_i·P v_i, with P the projector on the range of the map, is compared with the "
        "theory at these eigenvalues, the deviation extrapolated in 1/d at fixed n/d² (or n/d)."
    ),
    points=POINTS,
    quantities=(
        *(
            Quantity(
                f"captured_{i}",
                f"captured share of direction {i}",
                rf"v_{i}^\top P v_{i}",
                "share of the target's direction in the range of the trained map",
            )
            for i in range(1, FOLLOWED + 1)
        ),
        Quantity("mse", "squared error", r"\|S - S_0\|^2/d", "of the trained map", cap=0.05),
        Quantity(
            "test_error",
            "test error",
            r"e_{\mathrm{test}}",
            "on fresh samples with noisy labels",
            cap=0.05,
        ),
    ),
    controls=(GAMMA_SHIFTED, NOISE_HALVED),
    designs={
        "quick": Design(
            (SOFTMAX,),
            {16: 16, 24: 12, 36: 10},
        ),
        "standard": Design(_ALL, {16: 48, 24: 48, 36: 32}, control_seeds=8),
        "full": Design(_ALL, {24: 200, 48: 120, 80: 60}, control_seeds=16),
    },
    departures=tuple(
        Departure(point, quantity, *band(*pilot), _SCORES)
        for (point, quantity), pilot in PILOT.items()
    ),
    experiment="attlas.verify.experiments.sequential_recovery:SEQUENTIAL",
)
