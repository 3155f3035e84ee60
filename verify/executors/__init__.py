"""Where calls are made: on this machine, or by Slurm."""

from attlas.verify.executors.executor import EXECUTORS, Executor, executor
from attlas.verify.executors.local import Local
from attlas.verify.executors.slurm import Slurm, SlurmFailure

__all__ = ["EXECUTORS", "Executor", "Local", "Slurm", "SlurmFailure", "executor"]
