"""Where the ``attlas`` script begins, importing next to nothing before it is safe to stop."""

from __future__ import annotations

import sys


def run() -> None:
    """Entry point of the ``attlas`` command.

    An interrupt while modules are still being imported ends like any other.
    """
    try:
        from attlas.cli.main import run as command
    except KeyboardInterrupt:
        print("Interrupted.", file=sys.stderr)
        sys.exit(130)
    command()
