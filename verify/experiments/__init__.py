"""Experiments of claims that are not about a trained head beside the theory: one file each."""
