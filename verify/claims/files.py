"""Claims in a file of a user's own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from attlas.model import BadInput
from attlas.model.errors import unknown_name
from attlas.model.plugins import import_file
from attlas.verify.claims import CLAIMS, Claim
from attlas.verify.claims.claim import claims_of


def claims_in(path: str) -> tuple[Claim, ...]:
    """The claims of a Python file, in its order.

    Raises
    ------
    BadInput
        If it cannot be imported, holds no claim, or one by the name of another.
    """
    found = claims_of(import_file(path, "claim_file"))
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
