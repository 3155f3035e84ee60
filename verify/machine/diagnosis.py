"""What a bug report needs to know of an installation, and what is wrong with it."""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from importlib.metadata import PackageNotFoundError, requires, version
from typing import Any

from attlas.model.errors import ComputationFailed, required

_THREAD_VARIABLES = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
_BROWSERS = ("chromium", "chromium-browser", "google-chrome", "chrome")
#: Test error at theory.md's base point, and how far this installation may be from it.
_REFERENCE, _TOLERANCE = 0.0540882, 1e-6
_SIDE = 600


class Health(Enum):
    """How a finding is to be read."""

    GOOD = "as it should be"
    NOTE = "attlas works; something optional is absent"
    BAD = "attlas gives wrong results or none"


@dataclass(frozen=True)
class Finding:
    """One line of the diagnosis.

    Attributes
    ----------
    area, name, value : str
    health : Health
    advice : str
        What to do about it; empty where there is nothing to do.
    """

    area: str
    name: str
    value: str
    health: Health = Health.GOOD
    advice: str = ""


def diagnose() -> tuple[Finding, ...]:
    """Look at Python, packages, threads, linear algebra, devices, Slurm and browser; solve once."""
    areas = (
        _python,
        _packages,
        _threads,
        _linear_algebra,
        _torch,
        _slurm,
        _browser,
        _solve,
    )
    return tuple(finding for area in areas for finding in area())


def _python() -> Iterator[Finding]:
    yield Finding("python", "version", f"{platform.python_version()} ({sys.executable})")
    yield Finding("python", "system", f"{platform.platform()}, {platform.machine()}")
    inside = sys.prefix != sys.base_prefix
    yield Finding("python", "virtual environment", sys.prefix if inside else "none")


def _packages() -> Iterator[Finding]:
    """Every requirement of attlas itself, and whether the installed version is in its range."""
    try:
        needed = requires("attlas") or []
        yield Finding("packages", "attlas", version("attlas"))
    except PackageNotFoundError:
        yield Finding(
            "packages", "attlas", "not installed", Health.NOTE, "pip install --editable ."
        )
        return
    from packaging.requirements import Requirement

    for requirement in map(Requirement, needed):
        if requirement.marker is not None and not requirement.marker.evaluate({"extra": ""}):
            continue
        try:
            found = version(requirement.name)
        except PackageNotFoundError:
            yield Finding(
                "packages",
                requirement.name,
                "absent",
                Health.BAD,
                f'pip install "{requirement.name}{requirement.specifier}"',
            )
            continue
        fits = requirement.specifier.contains(found, prereleases=True)
        yield Finding(
            "packages",
            requirement.name,
            found,
            Health.GOOD if fits else Health.BAD,
            "" if fits else f'pip install "{requirement.name}{requirement.specifier}"',
        )


def _threads() -> Iterator[Finding]:
    allowed = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    yield Finding("threads", "processors", f"{allowed} of {os.cpu_count()} may be used")
    for name in _THREAD_VARIABLES:
        yield Finding("threads", name, os.environ.get(name, "not set"))


def _linear_algebra() -> Iterator[Finding]:
    import numpy as np

    configuration: Any = np.show_config(mode="dicts")
    for name in ("blas", "lapack"):
        library = configuration["Build Dependencies"][name]
        yield Finding(
            "linear algebra", f"numpy's {name}", f"{library['name']} {library['version']}"
        )
    a = np.random.default_rng(0).standard_normal((_SIDE, _SIDE))
    product = a @ a
    began = time.perf_counter()
    for _ in range(5):
        np.matmul(a, a, out=product)
    rate = 5 * 2 * _SIDE**3 / (time.perf_counter() - began)
    yield Finding("linear algebra", "float64 product", f"{rate / 1e9:.3g} GFLOP/s at side {_SIDE}")


def _torch() -> Iterator[Finding]:
    try:
        torch = required("torch")
    except ComputationFailed as absent:
        yield Finding("torch", "training", "absent", Health.NOTE, str(absent).rstrip("."))
        return
    yield Finding("torch", "threads", str(torch.get_num_threads()))
    yield Finding("torch", "built with", f"CUDA {torch.version.cuda or 'none'}")
    if not torch.cuda.is_available():
        yield Finding("torch", "device", "cpu; no CUDA device is visible")
        return
    for index in range(torch.cuda.device_count()):
        device = torch.cuda.get_device_properties(index)
        yield Finding(
            "torch", f"cuda:{index}", f"{device.name}, {device.total_memory / 2**30:.0f} GiB"
        )


def _slurm() -> Iterator[Finding]:
    if shutil.which("sbatch") is None:
        yield Finding("slurm", "sbatch", "absent", Health.NOTE, "needed only to run on a cluster")
        return
    yield Finding("slurm", "sbatch", _said("sbatch", "--version"))
    yield Finding("slurm", "partitions", _said("sinfo", "--noheader", "--format=%P %D %t"))
    yield Finding("slurm", "inside a job", os.environ.get("SLURM_JOB_ID", "no"))


def _said(*command: str) -> str:
    """The first lines of a command's output, or how it fails."""
    try:
        run = subprocess.run(command, capture_output=True, text=True, timeout=10, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        return f"{command[0]} does not answer: {type(error).__name__}"
    if run.returncode:
        return f"{command[0]} fails: {run.stderr.strip().partition(chr(10))[0]}"
    return "; ".join(run.stdout.strip().splitlines()[:4]) or f"{command[0]} says nothing"


def _browser() -> Iterator[Finding]:
    for name in _BROWSERS:
        if shutil.which(name) is not None:
            yield Finding("browser", name, _said(name, "--version"))
            return
    yield Finding(
        "browser", "chromium", "absent", Health.NOTE, "needed only by the report's browser test"
    )


def _solve() -> Iterator[Finding]:
    """The base point of theory.md section 15, against its reference number."""
    from attlas.model import Factorised, Problem, SoftmaxChannel, Wishart
    from attlas.solver import solve

    problem = Problem(
        alpha="0.2",
        target=Wishart("1/2"),
        channel=SoftmaxChannel(tokens=2),
        estimator=Factorised(lam="0.01"),
    )
    began = time.perf_counter()
    found = solve(problem, raise_on_failure=False)
    seconds = time.perf_counter() - began
    right = found.status.ok and abs(found.test_error - _REFERENCE) < _TOLERANCE
    yield Finding(
        "solve",
        "base point",
        f"test error {found.test_error:.7g} in {seconds:.2g} s"
        if found.status.ok
        else found.status.value,
        Health.GOOD if right else Health.BAD,
        "" if right else f"{_REFERENCE} is expected: report this diagnosis",
    )
