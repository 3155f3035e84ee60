"""Thresholds and limits, each an object: statement, assumptions, checked steps, numbers."""

from attlas.symbolic.thresholds.bands import bands, critical_noise_level
from attlas.symbolic.thresholds.bayes import bayes, bayes_value
from attlas.symbolic.thresholds.collapse import collapse, linear_collapse_value
from attlas.symbolic.thresholds.critical import critical_behaviour
from attlas.symbolic.thresholds.direct_training import direct_training
from attlas.symbolic.thresholds.expansions import full_rank_series, small_rank_series
from attlas.symbolic.thresholds.interpolation import (
    interpolation,
    interpolation_value,
    noise_level,
    peak_norm,
    require_vanishing,
)
from attlas.symbolic.thresholds.jump import jump, jump_value
from attlas.symbolic.thresholds.linear_reduction import linear_reduction
from attlas.symbolic.thresholds.perfect_recovery import (
    perfect_recovery,
    perfect_recovery_value,
    require_nuclear,
)
from attlas.symbolic.thresholds.reduction import ridgeless
from attlas.symbolic.thresholds.separability import rows_value, separability
from attlas.symbolic.thresholds.small_rank import small_rank, small_rank_overlaps

__all__ = [
    "bands",
    "bayes",
    "bayes_value",
    "collapse",
    "critical_behaviour",
    "critical_noise_level",
    "direct_training",
    "full_rank_series",
    "interpolation",
    "interpolation_value",
    "jump",
    "jump_value",
    "linear_collapse_value",
    "linear_reduction",
    "noise_level",
    "peak_norm",
    "perfect_recovery",
    "perfect_recovery_value",
    "require_nuclear",
    "require_vanishing",
    "ridgeless",
    "rows_value",
    "separability",
    "small_rank",
    "small_rank_overlaps",
    "small_rank_series",
]
