"""Measured against plain implementations, in the same run, as ratios. ``make bench``."""
