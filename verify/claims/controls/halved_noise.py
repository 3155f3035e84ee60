"""The theory of half the noise variance."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from attlas.model import Problem
from attlas.verify.claims.claim import Control


def _applies(problem: Problem) -> bool:
    return problem.channel.noise > 0


def _halved(problem: Problem) -> Problem:
    channel: Any = problem.channel
    return problem.with_(channel=replace(channel, noise=channel.noise / 2))


HALVED_NOISE = Control(
    id="noise-halved",
    statement="The noise of the labels enters the theory with half its variance.",
    wrong=_halved,
    where=_applies,
)
