"""The plain way of the field, written to be right and obvious, not fast."""
