"""Short names of points and of the curves through them."""

from __future__ import annotations

from collections.abc import Sequence

from attlas.model import PARAMETERS, Problem, parameters_of

SYMBOLS = {
    "alpha": "α",
    "lam": "λ",
    "kappa": "κ",
    "kappa0": "κ₀",
    "tokens": "T",
    "beta": "β",
    "beta0": "β₀",
    "noise": "Δ",
}

#: What tokens are, told by its whole text.
_TOKENS = ("tokens_law", "token_covariance", "token_positions")

_DEFAULTS = {parameter.name: parameter.default for parameter in PARAMETERS}


def letter(index: int) -> str:
    """A, B, C, ... Z, AA, ...: how figures and tables refer to a point."""
    text = ""
    index += 1
    while index:
        index, rest = divmod(index - 1, 26)
        text = chr(ord("A") + rest) + text
    return text


def parameters_text(problem: Problem) -> str:
    """All parameters of a problem as "α = 0.2, λ = 0.01, ..."; most defaults are left out."""
    shown = {
        name: value
        for name, value in parameters_of(problem).items()
        if name in ("alpha", "lam", "kappa0", "noise", "tokens")
        or (str(value) != _DEFAULTS.get(name) and not str(value).startswith("wishart:"))
    }
    shown.setdefault("tokens", "2")
    return ", ".join(f"{SYMBOLS.get(name, name)} = {value}" for name, value in shown.items())


def distinguished(problems: Sequence[Problem]) -> list[str]:
    """What sets each of some problems apart, alpha aside: "λ = 0.01, Δ = 0"."""
    flat = [{**_DEFAULTS, **parameters_of(problem)} for problem in problems]
    names = [
        name
        for name in (*SYMBOLS, "training", "target", *_TOKENS)
        if name != "alpha" and len({str(parameters.get(name)) for parameters in flat}) > 1
    ]
    targets = {str(parameters["target"]) for parameters in flat}
    kinds = {target.partition(":")[0] for target in targets}
    texts = [
        ", ".join(
            _distinction(name, str(parameters[name]), whole=len(kinds) < len(targets))
            for name in names
            if parameters.get(name) is not None
            and not (name == "beta" and parameters["tokens"] == 1)
            and not (name == "target" and kinds == {"wishart"})
        )
        for parameters in flat
    ]
    return [text or "theory" for text in texts]


def _distinction(name: str, text: str, whole: bool) -> str:
    """ "λ = 0.01"; a training by its name, a target by its kind or, where kinds repeat, whole."""
    if name in SYMBOLS:
        return f"{SYMBOLS[name]} = {text if len(text) <= 8 else f'{float(text):.4g}'}"
    if name in _TOKENS:
        return text
    kind, _, details = text.partition(":")
    return details if name == "target" and whole and kind != "wishart" else kind
