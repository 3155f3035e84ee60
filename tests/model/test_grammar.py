"""Splitting the fields of a target."""

from __future__ import annotations

import pytest

from attlas.model.errors import BadInput
from attlas.model.fields import read_fields


def test_a_nested_target_takes_the_rest() -> None:
    fields = read_fields(
        "spiked",
        "spikes=2/1.5/1,background=power-law:gamma=1.25,d=400",
        known=("spikes", "background"),
        last=("background",),
    )
    assert fields == {"spikes": "2/1.5/1", "background": "power-law:gamma=1.25,d=400"}


@pytest.mark.parametrize("text", ["a", "a,b=1", "=1", "a=1,,b=2", "a=1,b"])
def test_anything_but_key_value_is_refused(text: str) -> None:
    with pytest.raises(BadInput):
        read_fields("name", text, known=("a", "b"))
