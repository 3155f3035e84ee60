"""Equations as sympy objects, derived rather than typed; knows no numbers.

Importing this package imports sympy. The front door and the solver do so only when asked.
"""
