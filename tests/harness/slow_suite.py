"""A suite of quick stand-ins for runs, each slow enough to be killed in; run as a process.

Usage: python -m tests.harness.slow_suite STORE LOG [attlas verify's options]
"""

from __future__ import annotations

import signal
import sys
import time
from pathlib import Path

import pytest

from attlas.cli.main import main
from attlas.verify.store.rows import Row
from attlas.verify.suite.work import Job
from tests.judge import fake_work


def run(store: str, log: str, *options: str) -> int:
    """``attlas verify`` on stand-ins, which write their seeds into a log when they start."""
    # A shell that runs in the background hands on that Ctrl-C is ignored.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    fake_work.use(pytest.MonkeyPatch())
    work = fake_work.make_do()

    def slow(job: Job, device: str) -> list[Row]:
        with Path(log).open("a") as stream:
            stream.write(f"{job.case.address}\n")
        time.sleep(0.1)
        return work(job, device)

    patch = pytest.MonkeyPatch()
    patch.setattr("attlas.verify.suite.run.do", slow)
    return main(["verify", "--store", store, "--processes", "1", *options])


if __name__ == "__main__":
    sys.exit(run(*sys.argv[1:]))
