"""Figures that are files of their own, one module a picture."""
