"""Rows 19 to 23, 25, 29 and 30: files of numbers and numerals that are something else."""

from __future__ import annotations

import json
import struct
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from attlas.cli.main import main
from attlas.model import Atoms, BadInput, problem_from
from attlas.model.errors import Notice
from attlas.solver.weights import describe_weights, find_pairs, read_tensors
from attlas.verify import draw_teacher

D = 6
RNG = np.random.default_rng(0)
FACTOR = RNG.standard_normal((D, 3))
S0 = FACTOR @ FACTOR.T


def saved(path: Path, content: Any) -> Path:
    if isinstance(content, bytes):
        path.write_bytes(content)
    elif isinstance(content, str):
        path.write_text(content, encoding="utf-8")
    elif path.suffix.lower() == ".npy":
        with path.open("wb") as stream:
            np.save(stream, content)
    else:
        np.savetxt(path, content)
    return path


@pytest.mark.parametrize("name", ["s.npy", "S.NPY", "s.txt"])
def test_row_19_a_symmetric_matrix_is_the_teacher(name: str, tmp_path: Path) -> None:
    path = saved(tmp_path / name, S0)
    with pytest.warns(Notice, match="it is S0, d = 6"):
        target = Atoms.from_file(path)
    np.testing.assert_allclose(target.eigenvalues, np.linalg.eigvalsh(S0)[::-1], atol=1e-12)
    assert sum(value == 0 for value in target.eigenvalues) == 3
    teacher = draw_teacher(target, D, 3)
    np.testing.assert_allclose(teacher.s0, S0, atol=1e-12)
    np.testing.assert_allclose(
        S0 @ teacher.eigenvectors[:, 0],
        teacher.eigenvalues[0] * teacher.eigenvectors[:, 0],
        atol=1e-12,
    )


@pytest.mark.parametrize(
    "content",
    ["2\n0.5 # of two\n\n1e-1\n", "\ufeff2\r\n.5\r\n0.1", [2, 0.5, 0.1]],
)
def test_row_20_one_number_a_line(content: Any, tmp_path: Path) -> None:
    name = "s.txt" if isinstance(content, str) else "s.npy"
    assert Atoms.from_file(saved(tmp_path / name, content)).eigenvalues == (2, 0.5, 0.1)


HUGE = (
    b"\x93NUMPY\x01\x00"
    + struct.pack("<H", 118)
    + (b"{'descr': '<f8', 'fortran_order': False, 'shape': (900000000000, 7), }".ljust(117) + b"\n")
)
REFUSED = {
    "comma.txt": ("1,5\n0,7", "line 1, '1,5', could be a decimal comma"),
    "index.txt": ("0,1.5\n1,0.7", "2 x 2 matrix is not symmetric"),
    "indexes.txt": ("0 1.5\n1 0.7\n2 0.1", "its shape is 3 x 2"),
    "header.txt": ("eigenvalue\n1.5", "line 1 holds 'eigenvalue'"),
    "dates.txt": ("2024-01-01\n", "line 1 holds '2024-01-01'"),
    "nan.txt": ("1\nnan\n", "line 2 holds 'nan'"),
    "underscore.txt": ("1_0\n", "line 1 holds '1_0'"),
    "digits.txt": ("٣\n", "line 1 holds '٣'"),
    "long.txt": ("1" * 5000, "line 1 holds '111"),
    "ragged.txt": ("1 2\n2\n", "line 2 holds 1, earlier ones 2"),
    "row.txt": ("3 2 1\n", "its shape is 1 x 3"),
    "utf16.txt": ("1\n2".encode("utf-16"), "it is no text in UTF-8"),
    "matrix.npy": (RNG.standard_normal((D, D)), "6 x 6 matrix is not symmetric"),
    "column.npy": (np.ones((5, 1)), "its shape is 5 x 1"),
    "cube.npy": (np.ones((2, 2, 2)), "its shape is 2 x 2 x 2"),
    "scalar.npy": (np.array(1.0), "its shape is one number"),
    "indefinite.npy": (np.diag([1.0, -0.5]), "0 or greater; the theory is of S0"),
    "complex.npy": (np.ones(3) + 1j, "its type is complex128"),
    "text.npy": (np.array(["1", "2"]), "its type is <U1"),
    "record.npy": (np.ones(2, dtype=[("a", float)]), "its type is"),
    "dates.npy": (np.array(["2024-01-01"], dtype="M8[D]"), "its type is datetime64"),
    "flags.npy": (np.array([True, False]), "its type is bool"),
    "object.npy": (np.array([None]), "whole .npy file"),
    "infinite.npy": (np.array([[np.inf]]), "NaN or infinity"),
    "hugeshape.npy": (HUGE, "whole .npy file"),
    "cut.npy": (b"\x93NUMPY\x01", "whole .npy file"),
    "empty.npy": (b"", "whole .npy file"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_rows_19_20_22_anything_else_is_refused(name: str, tmp_path: Path, capsys) -> None:
    content, said = REFUSED[name]
    if name == "object.npy":
        path = tmp_path / name
        np.save(path, content, allow_pickle=True)
    else:
        path = saved(tmp_path / name, content)
    words = ("solve", "--alpha", "0.2", "--lam", "0.1", "--target", f"file:{path}")
    assert main(words) == 2
    told = capsys.readouterr().err
    assert said in told
    assert "--target file" in told
    assert told.count("\n") == 1, "a notice of what the file holds precedes the refusal"


def qkv(shape: tuple[int, int]) -> np.ndarray:
    return np.random.default_rng(1).standard_normal(shape)


@pytest.mark.parametrize(
    ("name", "transposed"),
    [
        ("h.0.attn.c_attn.weight", False),
        ("h.0.attn.c_attn.weight", True),
        ("blocks.0.attn.qkv.weight", False),
        ("attn.in_proj_weight", False),
    ],
)
def test_row_21_the_shape_says_how_weights_are_stacked(name: str, transposed: bool) -> None:
    stacked = qkv((72, 24))
    (found,) = find_pairs({name: stacked.T if transposed else stacked}, "file")
    np.testing.assert_array_equal(found.query, stacked[:24])
    np.testing.assert_array_equal(found.key, stacked[24:48])


def test_row_21_grouped_queries_need_their_sizes(tmp_path: Path, capsys) -> None:
    stacked = qkv((48, 24))  # 6 heads of width 4, 3 keys and values
    path = tmp_path / "w.npz"
    np.savez(path, **{"a.qkv_proj.weight": stacked})  # type: ignore[arg-type]
    words = ("spectrum", "--weights", str(path), "--heads", "6")
    assert main(words) == 2
    assert "--fused is missing" in capsys.readouterr().err
    assert main([*words, "--fused", "24,12,13"]) == 2
    assert "(48, 24)" in capsys.readouterr().err
    assert main([*words, "--fused", "24,12,12"]) == 0
    heads = describe_weights(path, 6, fused=(24, 12, 12)).heads
    assert [head.p for head in heads] == [4] * 6
    query, key = stacked[4:8].T, stacked[24:28].T  # the second head has the first key
    largest = np.linalg.svd(query @ key.T / 2, compute_uv=False)[0]
    assert heads[1].singular_values[0] == pytest.approx(largest, rel=1e-12)


@pytest.mark.parametrize(
    ("weights", "said"),
    [
        (np.full((4, 4), 1e200), "1e\\+200"),
        (np.full((4, 4), 1e-200), "1e-200"),
        (np.full((4, 4), np.nan), "NaN"),
        (np.ones((4, 4)) + 1j, "complex128"),
        (np.full((4, 4), "1"), "<U1"),
        (np.ones((4, 4), dtype=[("a", float)]), "real floating-point numbers: it holds a"),
        (np.ones((4, 4), dtype=int), "int64"),
    ],
)
def test_rows_22_23_weights_that_are_no_weights(weights, said: str, tmp_path: Path) -> None:
    np.savez(tmp_path / "w.npz", query=weights, key=weights)
    with pytest.raises(BadInput, match=said):
        describe_weights(tmp_path / "w.npz", 1)
    np.save(tmp_path / "w.npy", np.stack([weights, weights]))
    with pytest.raises(BadInput, match=said):
        describe_weights(tmp_path / "w.npy", 1)


def entry(shape: list[int], begin: int, end: int, kind: str = "F32") -> str:
    return json.dumps({"dtype": kind, "shape": shape, "data_offsets": [begin, end]})


@pytest.mark.parametrize(
    ("header", "length"),
    [
        (f'{{"query": {entry([-1, 2], 0, 16)}, "key": {entry([2, 2], 16, 32)}}}', 32),
        (f'{{"query": {entry([2, 2], 0, 16)}, "key": {entry([2, 2], 8, 24)}}}', 24),
        (f'{{"query": {entry([2, 2], 0, 16)}, "key": {entry([2, 2], 16, 32)}}}', 40),
        (f'{{"query": {entry([2, 2], 0, 16)}, "key": {entry([2, 2], 16, 32)}}}', 20),
        (f'{{"query": {entry([2, 2], 0, 16)}, "query": {entry([4], 0, 16)}}}', 16),
        ("[]", 0),
        ("{", 0),
    ],
    ids=["-1", "overlap", "trailing", "cut", "twice", "list", "no JSON"],
)
def test_row_29_safetensors_that_are_none(header: str, length: int, tmp_path: Path) -> None:
    path = tmp_path / "w.safetensors"
    path.write_bytes(struct.pack("<Q", len(header)) + header.encode() + b"\1" * length)
    with pytest.raises(BadInput, match=r"must be a whole \.safetensors file"):
        read_tensors(path)


def test_short_floats_are_named(tmp_path: Path) -> None:
    header = (
        f'{{"query": {entry([2, 2], 0, 4, "F8_E4M3")}, "key": {entry([2, 2], 4, 8, "F8_E4M3")}}}'
    )
    path = tmp_path / "w.safetensors"
    path.write_bytes(struct.pack("<Q", len(header)) + header.encode() + b"\1" * 8)
    with pytest.raises(BadInput, match="it holds F8_E4M3"):
        describe_weights(path, 1)


LONG = "1" * 4500


@pytest.mark.parametrize(
    "value",
    [
        LONG,
        f"1/{LONG}",
        f"0.{LONG}",
        10**5000,
        Fraction(10**5000 + 1, 10**5000),
        Decimal(f"1.{LONG}"),
    ],
    ids=range(6),
)
def test_row_25_very_long_numerals(value: Any) -> None:
    with pytest.raises(BadInput, match="at most 1100 digits") as refused:
        problem_from(alpha=value, lam="0.1", kappa0="1")
    assert len(str(refused.value)) < 200


@pytest.mark.parametrize(
    "words",
    [
        ("solve", "--lam", "0.1", "--kappa0", "1", "--alpha", LONG),
        ("derive", "interpolation", "--kappa0", LONG),
        ("threshold", "interpolation", "--kappa0", LONG),
        ("threshold", "interpolation", "--kappa0", "1", "--digits", LONG),
        ("solve", "--lam", "0.1", "--alpha", "1", "--target", f"wishart:kappa0={LONG}"),
        ("solve", "--lam", "0.1", "--alpha", "1", "--target", f"atoms:{LONG}"),
    ],
    ids=range(6),
)
def test_row_25_on_the_command_line(words: tuple[str, ...], capsys) -> None:
    assert main(words) == 2
    told = capsys.readouterr().err
    assert told.count("\n") == 1
    assert len(told) < 300


@pytest.mark.parametrize("text", ["0_0.01", "٠.١", "0x1", "1e", "", "1/", "1__0", "NaN", "１"])
def test_row_30_numerals_of_other_kinds(text: str) -> None:
    for parameter in ("alpha", "noise", "kappa0"):
        given = {"alpha": "0.2", "lam": "0.1", "kappa0": "1"} | {parameter: text}
        with pytest.raises(BadInput, match=f"^{parameter} = "):
            problem_from(**given)
    with pytest.raises(BadInput):
        problem_from(alpha="0.2", lam="0.1", target=f"atoms:1/{text}")
