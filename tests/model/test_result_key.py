"""A result key is stated once, on the field that holds it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import pytest

from attlas.cli import catalogue as cat
from attlas.model.result_key import Key, key_fields
from attlas.symbolic.explain import explain


@dataclass(frozen=True)
class Inner:
    """What another class inherits."""

    width: Annotated[float, Key("how wide it is", "0 or more")]
    note: str = ""


@dataclass(frozen=True)
class Outer(Inner):
    """A result as a stranger might write it."""

    q: Annotated[float, Key()] = 0.0
    other: Unknown = None  # noqa: F821  # pyright: ignore[reportUndefinedVariable]

    @property
    def area(self) -> Annotated[float, Key("its square", "0 or more")]:
        """Computed from a field."""
        return self.width**2


def test_fields_and_properties_are_read_in_their_order() -> None:
    found = {one.name: one for one in key_fields(Outer)}
    assert list(found) == ["width", "q", "area"]
    assert found["width"].type is float
    assert found["area"].key == Key("its square", "0 or more")


@pytest.fixture
def printed(monkeypatch: pytest.MonkeyPatch):
    """The catalogue with one more class."""

    def of(cls: type):
        place = f"{cls.__module__}:{cls.__name__}"
        monkeypatch.setattr(cat, "result_class", lambda one: {place: cls}.get(one) or own(one))
        monkeypatch.setattr(cat, "_RESULTS", {**cat._RESULTS, place: ("doctor",)})
        return cat.catalogue.__wrapped__()

    own = cat.result_class
    return of


def test_a_field_is_all_that_a_new_key_needs(printed) -> None:
    known = printed(Outer)
    assert explain("width", known).meaning == "how wide it is"
    assert explain("area", known).printed_by == ("doctor",)
    # Without a meaning of its own it is the notation's symbol.
    assert "doctor" in explain("q", known).printed_by


@dataclass(frozen=True)
class Mute:
    """Its key has no meaning anywhere."""

    mumble: Annotated[float, Key()]


def test_a_key_that_nothing_explains_is_refused(printed) -> None:
    with pytest.raises(ValueError, match="mumble has no meaning"):
        printed(Mute)
