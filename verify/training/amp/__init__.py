"""Approximate message passing: a third road to the minimum, and its own theory on the way."""
