"""Calls in a Slurm job array, through submitit."""

from __future__ import annotations

import logging
import subprocess
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, TypeVar

from attlas.model.errors import BadInput, ComputationFailed, unknown_name
from attlas.model.exact import whole

#: States of tasks that are waiting, running or ending.
_QUEUED = frozenset({"PD", "CF", "R", "CG", "S", "RQ", "RD", "SI", "ST", "SO", "RS"})

Item = TypeVar("Item")
Result = TypeVar("Result")

#: Seconds between two looks at the job array: at first, by how much they grow, and at most.
_POLL, _SLOWER, _LONGEST_POLL = 1.0, 1.3, 10.0


class SlurmFailure(ComputationFailed):
    """Slurm is absent, refused the jobs, or some of them failed; the message says where to look."""


@dataclass(frozen=True)
class Slurm:
    """A job array; each of its tasks makes its share of the calls with one processor.

    Attributes
    ----------
    logs : path
        Folder for submitit's scripts, pickles and logs, on a file system that all nodes share.
    tasks : int
        Tasks of the array. Slurm runs as many at a time as it has room for.
    partition : str
        The cluster's default where empty.
    minutes : int
        Time limit of a task.
    memory : int
        GB a task.
    gpus : int
        Graphics processors a task.
    """

    logs: Path
    tasks: int = 16
    partition: str = ""
    minutes: int = 60
    memory: int = 2
    gpus: int = 0

    @classmethod
    def of(cls, logs: Path, options: str) -> Slurm:
        """From options like ``"tasks=200,minutes=240,partition=cpu"``.

        Raises
        ------
        BadInput
            For an unknown option, or a value out of range.
        """
        known = [field.name for field in fields(cls) if field.name != "logs"]
        values: dict[str, Any] = {}
        for part in filter(None, options.split(",")):
            name, _, text = part.partition("=")
            if name not in known:
                raise unknown_name("slurm", name, known)
            if name == "partition":
                values[name] = text
            else:
                values[name] = whole(f"slurm {name}", text, at_least=0 if name == "gpus" else 1)
        return cls(logs, **values)

    @property
    def width(self) -> int:
        """Calls made at a time, if Slurm has the room."""
        return self.tasks

    def map(self, call: Callable[[Item], Result], items: Sequence[Item]) -> Iterator[Result]:
        """The results of each task, as the tasks end.

        Raises
        ------
        SlurmFailure
            If Slurm or submitit is absent, or after all tasks ended if some failed.
        """
        if not items:
            return
        shares = [items[start :: self.tasks] for start in range(min(self.tasks, len(items)))]
        jobs = self._submit(_Share(call), shares)
        failed = []
        waiting, pause = list(jobs), _POLL
        try:
            while waiting:
                ended = [job for job in waiting if job.done()]
                for job in ended:
                    waiting.remove(job)
                    if job.exception() is None:
                        yield from job.result()
                    else:
                        failed.append(job)
                pause = _POLL if ended else min(_SLOWER * pause, _LONGEST_POLL)
                if waiting:
                    time.sleep(pause)
                if waiting and not ended and not _queued(jobs[0]):
                    # Killed before they could leave a result, or it is still on its way.
                    time.sleep(_LONGEST_POLL)
                    failed += [job for job in waiting if not job.paths.result_pickle.exists()]
                    waiting = [job for job in waiting if job not in failed]
        except BaseException:
            for job in jobs:
                job.cancel(check=False)
            raise
        if failed:
            raise SlurmFailure(
                f"{len(failed)} of {len(jobs)} Slurm tasks failed; the first one says why in "
                f"{failed[0].paths.stderr}. What was run is kept: `resume` goes on"
            )

    def _submit(self, call: Callable[[Any], Any], shares: Sequence[Any]) -> list[Any]:
        try:
            import submitit
            from submitit.core.utils import FailedJobError
        except ImportError:
            raise BadInput(
                "executor", "slurm", "needs submitit", "pip install 'attlas[slurm]'"
            ) from None
        if submitit.SlurmExecutor.affinity() < 0:
            raise BadInput("executor", "slurm", "needs Slurm, and there is no srun on the path")
        # Where there is no accounting it warns at every look at the state of a job.
        logging.getLogger("submitit").setLevel(logging.ERROR)
        executor = submitit.SlurmExecutor(self.logs)
        executor.update_parameters(
            job_name="attlas",
            time=self.minutes,
            mem=f"{self.memory}GB",
            cpus_per_task=1,
            array_parallelism=len(shares),
            setup=[f"export {name}_NUM_THREADS=1" for name in ("OMP", "OPENBLAS", "MKL")],
            **({"partition": self.partition} if self.partition else {}),
            **({"gpus_per_node": self.gpus} if self.gpus else {}),
        )
        try:
            return executor.map_array(call, shares)
        except FailedJobError as error:
            raise SlurmFailure(f"Slurm refused the jobs: {error}") from error


def _queued(job: Any) -> bool:
    """Whether Slurm still has any task of a job's array."""
    array = str(job.job_id).split("_", maxsplit=1)[0]
    command = ["squeue", "--noheader", "--states=all", "--format=%t", f"--jobs={array}"]
    listed = subprocess.run(command, capture_output=True, text=True, check=False)
    if listed.returncode:
        return "Invalid job id" not in listed.stderr  # otherwise it did not answer: ask again
    return any(state in _QUEUED for state in listed.stdout.split())


@dataclass(frozen=True)
class _Share:
    """Makes the calls of one task, one after the other."""

    call: Callable[[Any], Any]

    def __call__(self, items: Sequence[Any]) -> list[Any]:
        return [self.call(item) for item in items]
