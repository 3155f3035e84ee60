"""Splitting what follows the name in ``--flag name:key=value,key=value``."""

from __future__ import annotations

from collections.abc import Collection

from attlas.model.errors import BadInput, unknown_name


def read_fields(
    name: str,
    text: str,
    *,
    known: Collection[str],
    last: Collection[str] = (),
    part: str = "target",
) -> dict[str, str]:
    """Split ``key=value,key=value``.

    Parameters
    ----------
    name : str
        The part's name, for messages.
    text : str
        What follows ``name:``.
    known : collection of str
        The keys that the part takes.
    last : collection of str
        Those of the keys whose value is itself a target and so takes the rest of the text.
    part : str
        For messages: the parameter of which ``name`` is a value.

    Raises
    ------
    BadInput
        For an unknown or repeated key, or a piece that is not ``key=value``.
    """
    found: dict[str, str] = {}
    rest = text
    while rest:
        key, equals, tail = rest.partition("=")
        key = key.strip()
        if not equals or "," in key:
            shape = ",".join(f"{one}=..." for one in known)
            raise BadInput(part, f"{name}:{text}", f"must have the form {name}:{shape}")
        if key not in known:
            raise unknown_name("key", key, known)
        if key in found:
            raise BadInput(part, f"{name}:{text}", f"{key} must be given once")
        if key in last:
            value, rest = tail, ""
        else:
            value, _, rest = tail.partition(",")
        found[key] = value.strip()
    return found
