"""``attlas verify``."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated, Any

from cyclopts import Parameter

from attlas.cli.flags import OutputFlags, option
from attlas.cli.live_table import live_table
from attlas.cli.shares import read_share
from attlas.cli.suite import SuiteFlags
from attlas.model import BadInput
from attlas.model.files import writable_folder

_SHARE = "Shares and stores"


def verify(
    *,
    flags: SuiteFlags = SuiteFlags(),
    list_: Annotated[
        bool, Parameter(name="--list", help="list suites and claims, run nothing", negative="")
    ] = False,
    index: Annotated[
        str | None, option("make this share of the runs and judge nothing; from 0", "whole", _SHARE)
    ] = None,
    count: Annotated[str | None, option("number of shares", "whole", _SHARE)] = None,
    merge: Annotated[
        list[str] | None,
        Parameter(
            help="put the rows of this store into --store, run nothing; may be repeated",
            metavar="TEXT",
            group=_SHARE,
            negative="",
        ),
    ] = None,
    output: OutputFlags = OutputFlags(),
) -> int:
    """Print the verdicts; exit code 1 for an unexpected disagreement or an accepted control."""
    share = index is not None or count is not None
    modes = {"--list": list_, "--merge": merge, "--index or --count": share}
    asked = [flag for flag, wanted in modes.items() if wanted]
    if len(asked) > 1:
        raise BadInput(asked[1], True, f"cannot be given together with {asked[0]}")
    if list_:
        _list(output.json)
        return 0
    if merge:
        _merge(flags, merge, output.json)
        return 0
    if share:
        _share(flags, index, count, output.json)
        return 0
    result = flags.run("verify")
    if output.json:
        from attlas.cli.envelope import json_text
        from attlas.cli.suite import suite_document

        print(json_text(suite_document("verify", result)))
    else:
        from attlas.cli.suite import print_suite

        print_suite(result)
    return result.exit_code


def _merge(flags: SuiteFlags, sources: list[str], as_json: bool) -> None:
    from attlas.verify.store.files import StoreError
    from attlas.verify.store.merging import merge

    store = writable_folder("--store", flags.store)
    try:
        merged = merge(sources, store)
    except StoreError as error:
        raise BadInput(
            "--merge", ", ".join(sources), "must be stores that can be put together", str(error)
        ) from None
    sentence = (
        f"{flags.store} holds {merged.rows} rows: {merged.added} are new, {merged.repeated} were "
        "there already."
    )
    _print("merged", asdict(merged), sentence, as_json)


def _share(flags: SuiteFlags, index: str | None, count: str | None, as_json: bool) -> None:
    which = read_share(index, count)
    assert which is not None  # one of them is given
    for flag, given in (("--time-budget", flags.time_budget), ("--slurm", flags.slurm or None)):
        if given is not None:
            raise BadInput(flag, given, "has no meaning for one share of the runs", "leave it out")
    if flags.executor != "local":
        raise BadInput("--executor", flags.executor, "must be local for one share of the runs")
    from attlas.verify.suite.run import run_shard

    with flags.guarded(), live_table() as progress:
        done = run_shard(flags.suite, *which, **flags.settings(), progress=progress)
    sentence = (
        f"Share {index} of {count}: {done.made} runs made, {done.present} were there. "
        f"{done.missing} runs of the suite are not in {flags.store}"
        + ("; merge the other shares' stores, and " if done.missing else ", and ")
        + f"{flags.command('verify', resume=True)} judges it."
    )
    _print("shared", asdict(done), sentence, as_json)


def _print(name: str, result: dict[str, Any], sentence: str, as_json: bool) -> None:
    if not as_json:
        print(sentence)
        return
    from attlas.cli.envelope import document, json_text

    status = {"name": name, "ok": True, "message": sentence}
    print(json_text(document("verify", None, result=result, error={}, status=status, stats={})))


def _list(as_json: bool) -> None:
    from attlas.verify.claims import CLAIMS
    from attlas.verify.suite.suites import SUITES

    if as_json:
        from attlas.cli.envelope import document, json_text

        result = {
            "suites": {
                name: {
                    "purpose": one.purpose,
                    "minutes": one.minutes,
                    "claims": [claim.id for claim in one.claims()],
                }
                for name, one in SUITES.items()
            },
            "claims": {name: claim.statement for name, claim in CLAIMS.items()},
        }
        status = {"name": "listed", "ok": True, "message": ""}
        print(json_text(document("verify", None, result=result, error={}, status=status, stats={})))
        return
    from attlas.cli.display import print_table

    suites = [(name, f"{one.minutes:g}", one.purpose) for name, one in SUITES.items()]
    print_table(("suite", "minutes", "purpose"), suites)
    claims = [(one.id, ", ".join(one.designs), one.statement) for one in CLAIMS.values()]
    print_table(("claim", "suites", "statement"), claims)
