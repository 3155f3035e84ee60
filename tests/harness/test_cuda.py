"""Every algorithm on a CUDA device, beside itself on the CPU. Runs only where there is a device."""

from __future__ import annotations

from typing import Any

import pytest
import torch

from attlas.model import problem_from
from attlas.verify import simulate

pytestmark = pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a CUDA device")

BASE = {"alpha": "0.4", "lam": "0.05", "kappa0": "0.5", "noise": "0.5"}
#: Parameters beside BASE, and options of simulate.
CASES: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "two tokens": ({}, {}),
    "one token": ({"tokens": 1}, {}),
    "three tokens": ({"tokens": 3}, {}),
    "seq2seq": ({"task": "seq2seq"}, {}),
    "parts of the data": ({"alpha": "2.5"}, {}),
    "average": ({}, {"centring": "average"}),
    "path": ({}, {"lam_path": ["1", "0.2"]}),
    "narrow": ({"kappa": "0.3", "training": "width-limited"}, {}),
    "fista": ({}, {"algorithm": "fista"}),
    "staged": ({"alpha": "2.5"}, {"algorithm": "staged"}),
    "direct": ({"training": "direct"}, {}),
    "direct-psd": ({"training": "direct-psd"}, {}),
    "amp": ({}, {"algorithm": "amp"}),
    "amp, one token": ({"tokens": 1}, {"algorithm": "amp"}),
    "amp, three tokens": ({"tokens": 3}, {"algorithm": "amp"}),
    "amp, seq2seq": ({"task": "seq2seq"}, {"algorithm": "amp"}),
}


@pytest.mark.parametrize("name", CASES)
def test_a_device_gives_what_the_processor_gives(name: str) -> None:
    parameters, options = CASES[name]
    problem = problem_from(**{**BASE, **parameters})
    cpu, cuda = (
        simulate(problem, d=24, seeds=2, paired=False, device=device, **options).runs
        for device in ("cpu", "cuda")
    )
    for one, other in zip(cpu, cuda, strict=True):
        assert (one.device, other.device) == ("cpu", "cuda")
        assert one.data_hash == other.data_hash
        assert other.certificate.objective == pytest.approx(one.certificate.objective, rel=1e-7)
        assert other.observables.present() == pytest.approx(one.observables.present(), rel=1e-4)
