"""Claims in a file of a user's own."""

from __future__ import annotations

import traceback
from collections.abc import Sequence
from dataclasses import replace
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

from attlas.model import BadInput
from attlas.model.errors import unknown_name
from attlas.verify.claims import CLAIMS, Claim
from attlas.verify.claims.claim import claims_of


def claims_in(path: str) -> tuple[Claim, ...]:
    """The claims of a Python file, in its order.

    Raises
    ------
    BadInput
        If it cannot be imported, holds no claim, or one by the name of another.
    """
    found = claims_of(_module(path))
    if not found:
        raise BadInput(
            "claim_file",
            path,
            "states no claim",
            "decorate a function of the problem with @attlas.claim(problem, ...)",
        )
    names = [one.id for one in found]
    for id_ in names:
        if id_ in CLAIMS or names.count(id_) > 1:
            owner = "attlas has" if id_ in CLAIMS else "it states twice"
            raise BadInput("claim_file", path, f"holds the claim {id_}, which {owner}", "rename it")
    return tuple(replace(one, file=path) for one in found)


def _module(path: str) -> ModuleType:
    spec = spec_from_file_location(f"claims_{Path(path).stem}", path)
    if not path.endswith(".py") or not Path(path).is_file() or spec is None or not spec.loader:
        raise BadInput("claim_file", path, "must be a Python file, such as my_claims.py")
    module = module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        if isinstance(error, SyntaxError):
            line = error.lineno
        else:
            frames = traceback.extract_tb(error.__traceback__)
            line = next((f.lineno for f in reversed(frames) if f.filename == spec.origin), 0)
        said = f"{type(error).__name__}: {error}".rstrip(".")
        raise BadInput("claim_file", path, f"cannot be run, line {line}", said) from error
    return module


def chosen(own: Sequence[Claim], ids: Sequence[str]) -> list[Claim]:
    """The claims of a file and of the package that are asked for; the file's if none is.

    Raises
    ------
    BadInput
        For an id of neither.
    """
    known = {one.id: one for one in own} | CLAIMS
    for id_ in ids:
        if id_ not in known:
            raise unknown_name("claim", id_, known)
    return [known[id_] for id_ in ids] if ids else list(own)
