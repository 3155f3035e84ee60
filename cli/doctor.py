"""``attlas doctor``."""

from __future__ import annotations

import sys
import time

from attlas.cli.flags import OutputFlags


def doctor(*, output: OutputFlags = OutputFlags()) -> int:
    """Print what a bug report needs; exit code 1 where something must be repaired."""
    from attlas.verify.machine.diagnosis import Health, diagnose

    began = time.perf_counter()
    findings = diagnose()
    bad = [finding for finding in findings if finding.health is Health.BAD]
    message = (
        "; ".join(f"{one.name}: {one.advice}" for one in bad) + "."
        if bad
        else "Nothing needs repair."
    )
    if output.json:
        from attlas.cli.envelope import document, json_text

        rows = [
            {
                "area": one.area,
                "name": one.name,
                "value": one.value,
                "health": one.health.name.lower(),
                "advice": one.advice,
            }
            for one in findings
        ]
        print(
            json_text(
                document(
                    "doctor",
                    None,
                    result={"findings": rows},
                    error={},
                    status={
                        "name": "broken" if bad else "healthy",
                        "ok": not bad,
                        "message": message,
                    },
                    stats={"seconds": time.perf_counter() - began},
                )
            )
        )
    else:
        from attlas.cli.display import print_table

        print_table(
            ("area", "name", "value", "advice"),
            [(one.area, one.name, one.value, one.advice) for one in findings],
        )
        print(message, file=sys.stderr)
    return 1 if bad else 0
