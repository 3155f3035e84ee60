"""Where calls are made: on this machine, or by Slurm."""

from verify.executors.executor import EXECUTORS, Executor, executor
from verify.executors.local import Local
from verify.executors.slurm import Slurm, SlurmFailure

__all__ = ["EXECUTORS", "Executor", "Local", "Slurm", "SlurmFailure", "executor"]
