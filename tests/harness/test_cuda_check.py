"""The script for CUDA devices says so where there is none."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
import torch

SCRIPT = Path(__file__).parents[2] / "scripts" / "cuda_check.sh"


@pytest.mark.skipif(torch.cuda.is_available(), reason="this machine has a CUDA device")
def test_without_a_device_it_says_so(tmp_path: Path):
    folder = tmp_path / "out"
    environment = {**os.environ, "PYTHON": sys.executable}
    done = subprocess.run(
        [SCRIPT, folder], check=False, capture_output=True, text=True, env=environment
    )
    assert done.returncode == 2
    assert "no CUDA device is visible" in done.stderr
    assert not folder.exists()
