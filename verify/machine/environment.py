"""Where a result was computed: packages, machine, device."""

from __future__ import annotations

import os
import platform
from functools import cache
from importlib.metadata import PackageNotFoundError, version

_PACKAGES = ("attlas", "numpy", "scipy", "torch", "sympy", "numba", "pyarrow")


@cache
def package_versions() -> dict[str, str]:
    """Versions of Python and of the packages that numbers depend on; absent ones say so."""
    versions = {"python": platform.python_version()}
    for package in _PACKAGES:
        try:
            versions[package] = version(package)
        except PackageNotFoundError:
            versions[package] = "absent"
    return versions


@cache
def machine() -> dict[str, str]:
    """Operating system, processor architecture and number of processors."""
    return {
        "system": f"{platform.system()} {platform.release()}",
        "architecture": platform.machine(),
        "processors": str(os.cpu_count()),
    }
