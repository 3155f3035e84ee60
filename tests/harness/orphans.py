"""A process whose two workers write their process ids into a folder and then wait; to be killed.

Usage: python -m tests.harness.orphans FOLDER
"""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

from attlas.verify.executors import Local


def wait(folder: str) -> None:
    """Say who is here, and stay for a minute."""
    (Path(folder) / str(os.getpid())).touch()
    time.sleep(60)


if __name__ == "__main__":
    list(Local(2).map(wait, [sys.argv[1]] * 2))
