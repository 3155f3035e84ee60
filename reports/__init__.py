"""Reports: a suite's result as one self-contained page and one JSON document."""

from attlas.reports.write import write_report

__all__ = ["write_report"]
