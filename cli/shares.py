"""Work that several machines divide: by Slurm, by hand, and its parts put together."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from attlas.cli.flags import option
from attlas.model import BadInput
from attlas.model.exact import whole

if TYPE_CHECKING:
    from attlas.verify.executors import Executor

#: Computes a share of some work, (index, count), keeps it in the journal, and says how much it is.
Part = Callable[[tuple[int, int]], int]


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class ExecutorFlags:
    """Where work is done; verbs in other files inherit the annotations, which name no constant."""

    executor: Annotated[str, option("local or slurm", "text", "Shares and stores")] = "local"
    slurm: Annotated[
        str,
        option(
            "tasks=16,partition=NAME,minutes=60,memory=2,gpus=0: a job array's",
            "text",
            "Shares and stores",
        ),
    ] = ""

    def elsewhere(self, folder: Path) -> Executor | None:
        """Slurm, with its logs in the folder, if that was asked for; None for this machine."""
        if self.slurm and self.executor != "slurm":
            raise BadInput("--slurm", self.slurm, "is for --executor slurm only", "give both")
        if self.executor == "local":
            return None
        from attlas.verify.executors import executor  # which imports torch

        return executor(self.executor, device="cpu", processes=1, store=folder, options=self.slurm)


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class ShareFlags(ExecutorFlags):
    """Where work is done, and which share of it."""

    index: Annotated[
        str | None, option("make this share only and keep it; from 0", "whole", "Shares and stores")
    ] = None
    count: Annotated[str | None, option("number of shares", "whole", "Shares and stores")] = None
    merge: Annotated[
        list[str] | None,
        Parameter(
            help="take up what this file holds of another machine's share; may be repeated",
            metavar="TEXT",
            group="Shares and stores",
            negative="",
        ),
    ] = None

    def share(self) -> tuple[int, int] | None:
        """The share that was asked for."""
        return read_share(self.index, self.count)

    def done(
        self,
        part: Part,
        kept: Path | None,
        read: Callable[[Any], Any] | None = None,
        *,
        as_json: bool = False,
    ) -> bool:
        """Do what the flags ask for before the whole is made; whether that was all.

        Parameters
        ----------
        part : callable
            Computes a share; one of a module, as other machines run it.
        kept : Path or None
            The journal.
        read : callable, optional
            As for :class:`attlas.solver.journal.Journal`.
        as_json : bool
            Whether a document of the whole was asked for.

        Raises
        ------
        BadInput
        """
        share = self.share()
        asked = {
            "--index": share is not None,
            "--merge": bool(self.merge),
            "--executor slurm": self.executor == "slurm" or bool(self.slurm),
        }
        flags = [flag for flag, wanted in asked.items() if wanted]
        if not flags:
            self.elsewhere(Path())
            return False
        if len(flags) > 1:
            raise BadInput(flags[1], True, f"cannot be given together with {flags[0]}")
        if kept is None:
            raise BadInput("--out", "", f"must be given with {flags[0]}: shares are kept beside it")
        if share is not None:
            if as_json:
                raise BadInput("--json", True, "is for the whole, not for a share")
            with goes_on(kept):
                rows = part(share)
            print(
                f"Share {share[0]} of {share[1]}: {rows} results, kept beside {kept}. The same "
                "command without --index and --count makes the whole of them; from machines "
                "that share no files, give it their files with --merge."
            )
            return True
        if self.merge:
            self._take_up(kept, read)
            return False
        chosen = self.elsewhere(kept.parent)
        assert chosen is not None
        shares = [(index, chosen.width) for index in range(chosen.width)]
        for done, _ in enumerate(chosen.map(part, shares), start=1):
            print(f"{done} of {chosen.width} shares are done", file=sys.stderr, flush=True)
        return False

    def _take_up(self, kept: Path, read: Callable[[Any], Any] | None) -> None:
        from attlas.solver.journal import Journal

        files = [Path(name) for name in self.merge or ()]
        for file in files:
            if not file.is_file():
                raise BadInput("--merge", file, "must be a file that a share has kept")
        new = Journal(kept, read).merge(files)
        print(f"{len(files)} files taken up: {new} results are new.", file=sys.stderr)


def read_share(index: str | None, count: str | None) -> tuple[int, int] | None:
    """A share as (index, count), where one is asked for.

    Raises
    ------
    BadInput
    """
    if index is None and count is None:
        return None
    if index is None or count is None:
        missing = "--index" if index is None else "--count"
        raise BadInput(missing, "", "must be given", "--index and --count belong together")
    return whole("--index", index, at_least=0), whole("--count", count, at_least=1)


@contextmanager
def goes_on(kept: Path | None) -> Iterator[None]:
    """Say after Ctrl-C where the finished part of some work is."""
    try:
        yield
    except KeyboardInterrupt:
        if kept is not None and any(kept.parent.glob(f"{kept.name}*")):
            print(f"what was computed is in {kept}; the same command goes on", file=sys.stderr)
        raise
