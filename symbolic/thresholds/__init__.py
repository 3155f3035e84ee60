"""Thresholds and limits, each an object: statement, assumptions, checked steps, numbers."""

from symbolic.thresholds.bands import bands, critical_noise_level
from symbolic.thresholds.bayes import bayes, bayes_value
from symbolic.thresholds.collapse import collapse, linear_collapse_value
from symbolic.thresholds.critical import critical_behaviour
from symbolic.thresholds.direct_training import direct_training
from symbolic.thresholds.expansions import full_rank_series, small_rank_series
from symbolic.thresholds.interpolation import (
    interpolation,
    interpolation_value,
    noise_level,
    peak_norm,
)
from symbolic.thresholds.jump import jump, jump_value
from symbolic.thresholds.linear_reduction import linear_reduction
from symbolic.thresholds.perfect_recovery import perfect_recovery, perfect_recovery_value
from symbolic.thresholds.reduction import ridgeless
from symbolic.thresholds.small_rank import small_rank, small_rank_overlaps

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
    "ridgeless",
    "small_rank",
    "small_rank_overlaps",
    "small_rank_series",
]
