"""Query-key maps of trained models: reading, pairing, describing."""

from __future__ import annotations

import json
import struct
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import attlas
from attlas.cli.main import main
from attlas.model import BadInput
from attlas.solver.weights import Tail, describe_weights, find_pairs, read_tensors, tail_of
from attlas.solver.weights.describe import split_heads
from attlas.solver.weights.pairs import Pair

D, P, HEADS = 24, 4, 3


def gaussian(*shape: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).standard_normal(shape).astype(np.float32)


def safetensors(path: Path, tensors: dict[str, np.ndarray], kind: str = "F32") -> None:
    """The format, written independently of the reader."""
    header: dict[str, object] = {"__metadata__": {"format": "pt"}}
    body = b""
    for name, array in tensors.items():
        raw = array.tobytes()
        header[name] = {
            "dtype": kind,
            "shape": list(array.shape),
            "data_offsets": [len(body), len(body) + len(raw)],
        }
        body += raw
    text = json.dumps(header).encode()
    path.write_bytes(struct.pack("<Q", len(text)) + text + body)


def pair(seed: int = 0, rows: int = HEADS * P) -> dict[str, np.ndarray]:
    return {
        "layer.1.query.weight": gaussian(rows, D, seed=seed),
        "layer.1.key.weight": gaussian(rows, D, seed=seed + 1),
    }


@pytest.mark.parametrize(
    ("names", "query_first"),
    [
        (("a.query.weight", "a.key.weight"), True),
        (("a.q_proj.weight", "a.k_proj.weight"), True),
        (("q_lin.weight", "k_lin.weight"), True),
        (("query", "key"), True),
        (("wq.weight", "wk.weight"), True),
    ],
)
def test_names(names: tuple[str, str], query_first: bool) -> None:
    assert query_first
    query, key = gaussian(HEADS * P, D), gaussian(HEADS * P, D, seed=1)
    (found,) = find_pairs({names[1]: key, names[0]: query, "bias": gaussian(3)}, "file")
    np.testing.assert_array_equal(found.query, query)
    np.testing.assert_array_equal(found.key, key)


def test_stacked_weights_are_split() -> None:
    stacked = gaussian(3 * D, D)
    (rows,) = find_pairs({"attn.in_proj_weight": stacked}, "file")
    (columns,) = find_pairs({"h.0.attn.c_attn.weight": stacked.T.copy()}, "file")
    for found in (rows, columns):
        np.testing.assert_array_equal(found.query, stacked[:D])
        np.testing.assert_array_equal(found.key, stacked[D : 2 * D])


def test_layers_in_natural_order() -> None:
    tensors = {}
    for layer in (10, 2):
        tensors[f"h.{layer}.q_proj.weight"] = gaussian(HEADS * P, D)
        tensors[f"h.{layer}.k_proj.weight"] = gaussian(HEADS * P, D)
    assert [found.name for found in find_pairs(tensors, "file")] == [
        "h.2.q_proj.weight",
        "h.10.q_proj.weight",
    ]


def test_grouped_keys_are_shared() -> None:
    query, key = gaussian(4 * P, D), gaussian(2 * P, D, seed=1)
    heads = split_heads(Pair("layer", query, key), 4)
    for index, (q, k) in enumerate(heads):
        np.testing.assert_array_equal(q, query[index * P : (index + 1) * P].T)
        group = index // 2
        np.testing.assert_array_equal(k, key[group * P : (group + 1) * P].T)


def test_every_format_holds_the_same(tmp_path: Path) -> None:
    import torch

    tensors = pair()
    safetensors(tmp_path / "a.safetensors", tensors)
    np.savez(tmp_path / "a.npz", **tensors)  # pyright: ignore[reportArgumentType]
    state = {name: torch.from_numpy(array) for name, array in tensors.items()}
    torch.save({"state_dict": state | {"steps": torch.tensor(3)}}, tmp_path / "a.pt")
    np.save(tmp_path / "a.npy", np.stack(list(tensors.values())))
    reference = list(tensors.values())
    for suffix in ("safetensors", "npz", "pt", "npy"):
        (found,) = find_pairs(read_tensors(tmp_path / f"a.{suffix}"), "file")
        np.testing.assert_array_equal(found.query, reference[0])
        np.testing.assert_array_equal(found.key, reference[1])


def test_short_floats(tmp_path: Path) -> None:
    values = np.array([1.5, -2.0, 0.15625, 3e5], dtype=np.float32)
    safetensors(tmp_path / "b.safetensors", {"x": (values.view("<u4") >> 16).astype("<u2")}, "BF16")
    np.testing.assert_allclose(read_tensors(tmp_path / "b.safetensors")["x"], values, rtol=2**-7)
    safetensors(tmp_path / "h.safetensors", {"x": values[:3].astype("<f2")}, "F16")
    np.testing.assert_array_equal(read_tensors(tmp_path / "h.safetensors")["x"], values[:3])


def test_description_against_the_whole_matrix(tmp_path: Path) -> None:
    tensors = pair()
    safetensors(tmp_path / "a.safetensors", tensors)
    found = describe_weights(tmp_path / "a.safetensors", HEADS)
    assert found.verdict == "no-theory"
    assert [head.head for head in found.heads] == [0, 1, 2]
    query, key = (array.astype(float) for array in tensors.values())
    for head in found.heads:
        rows = slice(head.head * P, (head.head + 1) * P)
        m = query[rows].T @ key[rows] / np.sqrt(P)
        values = np.linalg.svd(m, compute_uv=False)
        np.testing.assert_allclose(head.singular_values, values[:P], rtol=1e-10)
        assert (head.rank, head.mass_at_zero) == (P, 1 - P / D)
        energy = np.sum(m * m)
        assert head.stable_rank == pytest.approx(energy / values[0] ** 2)
        assert head.symmetric == pytest.approx(np.sum(((m + m.T) / 2) ** 2) / energy)
        assert head.antisymmetric == pytest.approx(np.sum(((m - m.T) / 2) ** 2) / energy)
        eigenvalues = np.linalg.eigvalsh((m + m.T) / 2)
        share = np.sum(eigenvalues[eigenvalues > 0] ** 2) / np.sum(eigenvalues**2)
        assert head.positive == pytest.approx(share)


def test_a_planted_direction_is_an_outlier_and_noise_is_not(tmp_path: Path) -> None:
    d, p = 120, 16
    query, key = gaussian(p, d, seed=3).astype(float), gaussian(p, d, seed=4).astype(float)
    np.save(tmp_path / "noise.npy", np.stack((query, key)))
    (noise,) = describe_weights(tmp_path / "noise.npy", 1).heads
    assert len(noise.outliers) <= 1
    assert noise.stable_rank == pytest.approx(noise.reference_stable_rank, rel=0.15)
    # Signs, because shuffled entries keep their mean.
    left = np.where(gaussian(p, seed=5) > 0, 1, -1) / 4
    right = np.where(gaussian(d, seed=6) > 0, 1, -1) / np.sqrt(d)
    query += 30 * np.outer(left, right)
    key += 30 * np.outer(left, right)
    np.save(tmp_path / "planted.npy", np.stack((query, key)))
    (planted,) = describe_weights(tmp_path / "planted.npy", 1).heads
    assert len(planted.outliers) == 1
    assert planted.outliers[0] > 2 * planted.singular_values[1]
    assert planted.stable_rank < 0.5 * planted.reference_stable_rank


def test_a_tied_head_is_symmetric_and_positive(tmp_path: Path) -> None:
    weight = gaussian(P, D)
    np.save(tmp_path / "tied.npy", np.stack((weight, weight)))
    (head,) = describe_weights(tmp_path / "tied.npy", 1).heads
    assert head.symmetric == pytest.approx(1)
    assert head.positive == pytest.approx(1)


def test_tail_of_outliers_alone() -> None:
    """gamma = 1, d = 400, delta = 0.3: the exponent 1 + 1/gamma = 2, cut at the bulk's edge."""
    d, delta = 400, 0.3
    s = np.sqrt(d) / np.arange(1, d + 1)
    rng = np.random.default_rng(0)
    noise = rng.standard_normal((d, d))
    x = np.linalg.eigvalsh(np.diag(s) + delta * (noise + noise.T) / np.sqrt(2 * d))
    tail = tail_of(x, 4 * delta)
    assert tail is not None
    assert tail.count == np.sum(x > 4 * delta)
    assert tail.cut == 4 * delta
    assert abs(tail.exponent - 2) < 0.1
    # The bulk is no power law: with it the fit is several times worse, and says so.
    everything = tail_of(x, 0.05)
    assert everything is not None
    assert everything.count > 5 * tail.count
    assert everything.error > 3 * tail.error
    assert tail_of(x, float(np.sort(x)[-8])) is None


@pytest.mark.parametrize(
    ("tensors", "heads", "said"),
    [
        ({"fc.weight": gaussian(3, 4)}, 1, r"it holds fc.weight \(3, 4\)"),
        ({}, 1, "it holds nothing"),
        ({"query": gaussian(4, 6), "key": gaussian(4, 5)}, 1, "is square"),
        ({"query": gaussian(4, 6) * np.nan, "key": gaussian(4, 6)}, 1, "holds NaN"),
        ({"query": gaussian(4, 6), "key": np.full((4, 6), np.inf)}, 1, "holds NaN or infinity"),
        ({"query": gaussian(4, 6), "key": 0 * gaussian(4, 6)}, 1, "zero throughout"),
        ({"in_proj_weight": gaussian(7, 6)}, 1, "fused is missing"),
        ({"query": gaussian(4, 6), "key": gaussian(4, 6)}, 3, "must divide 4"),
        ({"query": gaussian(8, 6), "key": gaussian(8, 6)}, 1, "no wider than the 6 entries"),
        ({"query": gaussian(8, 6), "key": gaussian(3, 6)}, 4, "must fit the 3 outputs"),
    ],
)
def test_refusals(tmp_path: Path, tensors: dict, heads: int, said: str) -> None:
    np.savez(tmp_path / "a.npz", **tensors)
    with pytest.raises(BadInput, match=said):
        describe_weights(tmp_path / "a.npz", heads)


@pytest.mark.parametrize(
    ("name", "data", "said"),
    [
        ("missing.npz", None, "must name a readable file"),
        ("a.txt", b"1", "must end in one of"),
        ("a.safetensors", b"\xff" * 40, "must be a whole .safetensors file"),
        ("a.safetensors", b"", "must be a whole"),
        ("a.npz", b"PK", "must be a whole"),
        ("a.pt", b"cos\nsystem\n(S'echo'\ntR.", "must be a whole .pt file"),
    ],
)
def test_unreadable_files(tmp_path: Path, name: str, data: bytes | None, said: str) -> None:
    if data is not None:
        (tmp_path / name).write_bytes(data)
    with pytest.raises(BadInput, match=said):
        read_tensors(tmp_path / name)


def test_an_array_of_another_shape(tmp_path: Path) -> None:
    np.save(tmp_path / "a.npy", gaussian(4, 6))
    with pytest.raises(BadInput, match=r"shape \(2, rows, columns\)"):
        read_tensors(tmp_path / "a.npy")


def test_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    safetensors(tmp_path / "a.safetensors", pair())
    arguments = ["spectrum", "--weights", str(tmp_path / "a.safetensors"), "--heads", str(HEADS)]
    picture = tmp_path / "a.svg"
    assert main([*arguments, "--plot", str(picture), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["result"]["verdict"] == "no-theory"
    assert len(found["result"]["heads"]) == HEADS
    assert found["status"]["ok"] is True
    assert picture.read_text().count("<svg") == 1
    assert main(arguments) == 0
    out, err = capsys.readouterr()
    assert out.count("layer.1.query.weight") == HEADS
    assert err.startswith("No theory")


@pytest.mark.parametrize(
    ("extra", "said"),
    [
        ([], "--heads is missing"),
        (["--heads", "0"], "--heads = '0'"),
        (["--heads", "1", "--kappa0", "0.5"], "--kappa0 = '0.5'"),
        (["--heads", "1", "--simulate"], "--simulate"),
        (["--heads", "1", "--plot", "a.pdf"], "--plot = 'a.pdf'"),
    ],
)
def test_command_refuses(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], extra: list[str], said: str
) -> None:
    safetensors(tmp_path / "a.safetensors", pair())
    assert main(["spectrum", "--weights", str(tmp_path / "a.safetensors"), *extra]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert said in err


class Module:
    """What a torch module has: a state dict of things with a shape."""

    def __init__(self, tensors: dict[str, np.ndarray]) -> None:
        self.tensors = tensors

    def state_dict(self) -> dict[str, object]:
        return {**self.tensors, "step": 7}


def test_a_model_in_memory_is_described_as_its_file_is(tmp_path: Path) -> None:
    safetensors(tmp_path / "a.safetensors", pair())
    from_file = describe_weights(tmp_path / "a.safetensors", HEADS)
    for model in (Module(pair()), pair()):
        found = attlas.weights(model, HEADS)
        assert found.heads == from_file.heads
        assert found.source == type(model).__name__
    torch = pytest.importorskip("torch")
    half = {name: torch.tensor(array).bfloat16() for name, array in pair().items()}
    assert len(attlas.weights(half, HEADS).heads) == HEADS
    for wrong, told in ((7, "int"), ("no file.pt", "readable"), ({}, "must hold query")):
        with pytest.raises(BadInput, match=told):
            attlas.weights(wrong, HEADS)


def test_heads_become_rows_and_a_picture(tmp_path: Path) -> None:
    found = attlas.weights(pair(), HEADS)
    rows = found.to_arrow().to_pylist()
    assert [row["head"] for row in rows] == list(range(HEADS))
    assert [row["stable_rank"] for row in rows] == [head.stable_rank for head in found.heads]
    assert rows[0]["tail_exponent"] is None
    tail = Tail(exponent=2.5, error=0.5, cut=1.0, count=9)
    bent = replace(found, heads=(replace(found.heads[0], tail=tail),))
    assert bent.rows()[0]["tail_exponent"] == 2.5
    assert bent.rows()[0]["tail_exponent_error"] == 0.5
    figure = found.plot(tmp_path / "a.svg")
    assert (tmp_path / "a.svg").is_file()
    assert len(figure.axes) == 1
    with pytest.raises(BadInput, match="path"):
        found.plot(tmp_path / "a.bmp")
