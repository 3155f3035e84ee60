"""What ``attlas --version`` prints."""

from __future__ import annotations

import platform
from importlib.metadata import PackageNotFoundError, version

import attlas

#: The packages that numbers depend on; numba only where it is installed.
FOUNDATIONS = ("numpy", "scipy", "torch", "sympy", "mpmath", "python-flint", "numba", "pyarrow")


def version_text() -> str:
    """The version of attlas, and a line for each thing that it stands on, without importing it."""
    lines = [f"attlas {attlas.__version__}", f"python {platform.python_version()}"]
    return "\n".join([*lines, *(f"{name} {found}" for name, found in foundations().items())])


def foundations() -> dict[str, str]:
    """Installed version of each of :data:`FOUNDATIONS`; absent ones say so."""
    found = {}
    for name in FOUNDATIONS:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            found[name] = "absent"
    return found
