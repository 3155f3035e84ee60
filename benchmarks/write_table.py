"""Turn pytest-benchmark's JSON into docs/benchmarks.md."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

HEAD = """# Benchmarks

Measured by `make bench`, each against a plain implementation in the same run, on one machine:

{machine}

A ratio is plain over attlas. Targets that are missed say so.

| what | attlas | plain | ratio | target | met | note |
|---|---|---|---|---|---|---|
"""


def table(results: dict[str, Any]) -> str:
    """The page of one run."""
    rows = [row for one in results["benchmarks"] for row in one["extra_info"].get("rows", ())]
    lines = [
        "| "
        + " | ".join(
            (
                f"{row['group']}: {row['item']}",
                row["attlas"],
                row["plain"],
                "" if row["ratio"] is None else f"{row['ratio']:,.3g}x",
                row["target"],
                {True: "yes", False: "**missed**", None: ""}[row["met"]]
                or ("not decided" if row["target"] else ""),
                row["note"],
            )
        )
        + " |"
        for row in rows
    ]
    return HEAD.format(machine=_machine(results)) + "\n".join(lines) + "\n"


def _machine(results: dict[str, Any]) -> str:
    machine, cpu = results["machine_info"], results["machine_info"]["cpu"]
    facts = {
        "processor": f"{cpu.get('brand_raw', 'unknown')}, {os.cpu_count()} used",
        "system": f"{machine['system']} {machine['machine']}, Python {machine['python_version']}",
        "date": results["datetime"][:10],
        "load": _load(),
    }
    return "\n".join(f"- {name}: {value}" for name, value in facts.items())


def _load() -> str:
    if not hasattr(os, "getloadavg"):
        return "unknown"
    load = os.getloadavg()[2]
    busy = "; other work was running, and times are upper bounds" if load > 1.5 else ""
    return f"{load:.1f} on average over 15 minutes{busy}"


def main() -> None:
    """``write_table.py RESULTS.json PAGE.md``"""
    results = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    Path(sys.argv[2]).write_text(table(results), encoding="utf-8")


if __name__ == "__main__":
    main()
