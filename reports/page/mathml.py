"""Equations as MathML, which browsers show without a script or a font from elsewhere."""

from __future__ import annotations

from functools import cache

from latex2mathml.converter import convert


@cache
def mathml(latex: str, display: str = "inline") -> str:
    """LaTeX as a MathML element that carries its source as alternative text.

    Parameters
    ----------
    latex : str
    display : {"inline", "block"}
    """
    return convert(latex, display=display).replace(
        "<math ", f'<math alttext="{_quoted(latex)}" ', 1
    )


def _quoted(text: str) -> str:
    return text.replace("&", "&amp;").replace('"', "&quot;").replace("<", "&lt;")
