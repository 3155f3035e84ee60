"""The seeds of a simulation."""

from __future__ import annotations

import pytest

from attlas.cli.seeds import read_seeds
from attlas.model import BadInput


@pytest.mark.parametrize(
    ("seeds", "first", "expected"),
    [
        ("3", None, [0, 1, 2]),
        ("2", "7", [7, 8]),
        ("30:34", None, [30, 31, 32, 33]),
        ("7:8", None, [7]),
        ("3,7", None, [3, 7]),
    ],
)
def test_reads(seeds: str, first: str | None, expected: list[int]) -> None:
    assert list(read_seeds(seeds, first)) == expected


@pytest.mark.parametrize(
    "seeds", ["0", "-1", "", "2.5", "5:5", "5:3", ":", "a,b", "1,", "1,-2", "1e20", "0:1e20"]
)
def test_refuses_seeds(seeds: str) -> None:
    with pytest.raises(BadInput, match="--seeds"):
        read_seeds(seeds, None)


@pytest.mark.parametrize(("seeds", "first"), [("2", "-1"), ("2", "x"), ("1:3", "1"), ("1,3", "0")])
def test_refuses_a_first_seed(seeds: str, first: str) -> None:
    with pytest.raises(BadInput, match="--seed = "):
        read_seeds(seeds, first)
