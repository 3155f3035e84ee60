"""Heads with queries and keys of their own, trained and measured."""

from __future__ import annotations

from math import ceil
from time import perf_counter

import numpy as np
import torch

from attlas.model import Problem
from attlas.solver.solution import Observables
from attlas.verify.data.rows import Rows, draw_rows, rows_of_scores
from attlas.verify.data.teacher import Teacher
from attlas.verify.simulation.measure import TEST_BLOCK, TEST_TOKENS, Measured
from attlas.verify.simulation.settings import Settings
from attlas.verify.training import adam, lbfgs
from attlas.verify.training.certificate import Certificate
from attlas.verify.training.initialisation import initial_factor
from attlas.verify.training.losses import misfit_of
from attlas.verify.training.rank import non_zero
from attlas.verify.training.task import Trained
from attlas.verify.training.untied import RowsObjective, subgradient_residuals, train_map


def train_and_measure(
    settings: Settings, teacher: Teacher, seed: int
) -> tuple[Trained, Measured, str]:
    """The trained map, what is measured of it, and the digest of its data.

    By gradients (Adam and L-BFGS) on both factors, or by FISTA on the map.
    """
    rows = draw_rows(settings.problem, teacher, settings.n, seed)
    trained = _trained(settings, rows, seed)
    return trained, _measured(settings.problem, teacher, rows, trained, seed), rows.digest


def _trained(settings: Settings, rows: Rows, seed: int) -> Trained:
    problem, d, p = settings.problem, settings.d, settings.p
    objective = RowsObjective.of(problem, rows, settings.device)
    quick = RowsObjective.of(problem, rows, settings.device, torch.float32)
    w = torch.from_numpy(initial_factor(settings.initialisation, 2 * d, p, seed))
    s = (w[:d] @ w[d:].T).numpy() / np.sqrt(p * d)
    steps: dict[str, int] = {}
    seconds: dict[str, float] = {}
    began, residual, value, weight = perf_counter(), np.inf, np.inf, np.inf
    for lam in map(float, settings.lams):
        weight = float(np.sqrt(p * d)) * lam
        if settings.algorithm == "fista":
            found = train_map(objective, weight, start=s, tolerance=settings.tolerance)
            s, value, residual = found.s, found.objective, found.residual
            steps["fista"] = steps.get("fista", 0) + found.iterations
        else:
            near = adam.descend(quick.on_factors(lam, p), w, steps=settings.adam_steps)
            end = lbfgs.polish(
                objective.on_factors(lam, p),
                near.cpu().double(),
                tolerance=settings.tolerance,
                max_steps=settings.max_steps or lbfgs.DEFAULT_STEPS,
            )
            w, value, residual = end.w, end.objective, end.gradient
            s = (w[:d] @ w[d:].T).numpy() / np.sqrt(p * d)
            steps["adam"] = steps.get("adam", 0) + settings.adam_steps
            steps["l-bfgs"] = steps.get("l-bfgs", 0) + end.evaluations
    seconds[settings.algorithm] = perf_counter() - began
    _, gradient = objective.value_and_gradient(s)
    slackness, violation = subgradient_residuals(s, gradient, weight)
    advice = "" if residual <= settings.tolerance else "raise `max_steps`"
    certificate = Certificate(
        gradient=residual,
        tolerance=settings.tolerance,
        slackness=slackness,
        dual_violation=violation,
        objective=value,
        steps=steps,
        seconds=seconds,
        advice=advice,
    )
    factor = None if settings.algorithm == "fista" else w.numpy()
    singular = np.linalg.svd(s, compute_uv=False)
    return Trained(s, singular, certificate, "float64", factor)


def _measured(
    problem: Problem, teacher: Teacher, rows: Rows, trained: Trained, seed: int
) -> Measured:
    s, s0, d = trained.s, teacher.s0, teacher.d
    queries = problem.scores.queries

    def misfit(of: Rows, labels: np.ndarray) -> np.ndarray:
        student = torch.from_numpy(rows_of_scores(of.x, of.keys, s))
        made = torch.from_numpy(labels)
        loss = misfit_of(problem.channel, made, torch.from_numpy(of.x[None]), problem.task)
        return loss.per_sample(student).numpy()

    errors: tuple[list[np.ndarray], list[np.ndarray]] = ([], [])
    for part in range(ceil(TEST_TOKENS / queries / TEST_BLOCK)):
        test = draw_rows(problem, teacher, TEST_BLOCK, seed, "test", part=part)
        for kept, labels in zip(errors, (test.labels, test.clean), strict=True):
            # Rows of one sequence share keys: samples are independent, rows are not.
            kept.append(misfit(test, labels).reshape(-1, queries).sum(axis=1))
    found = [np.concatenate(kept) for kept in errors]
    rank = int(np.sum(non_zero(trained.eigenvalues, teacher.eigenvalues[0])))
    return Measured(
        Observables(
            q=float(np.sum(s * s) / d),
            m=float(np.sum(s * s0) / d),
            mse=float(np.sum((s - s0) ** 2) / d),
            rank_fraction=rank / d,
            train_error=queries * float(misfit(rows, rows.labels).mean()),
            test_error=float(found[0].mean()),
            test_error_clean=float(found[1].mean()),
            loss=trained.certificate.objective / d**2,
        ),
        Observables(
            **{
                key: float(one.std(ddof=1) / np.sqrt(one.size))
                for key, one in zip(("test_error", "test_error_clean"), found, strict=True)
            }
        ),
    )
