"""Keys of ``simulate`` beside the result keys of theory: one trained head, and its certificate."""

from __future__ import annotations

from attlas.symbolic.definition import Definition
from attlas.symbolic.result_keys.key import JSON_PAGE, ResultKey, theory


def _key(
    key: str,
    meaning: str,
    domain: str,
    section: str = "",
    definition: Definition | None = None,
) -> ResultKey:
    source = theory(section) if section else JSON_PAGE
    return ResultKey(key, ("simulate",), meaning, domain, source, definition)


_RUN = (
    _key("runs", "one entry for each trained head; the other keys are their means", "list"),
    _key("seed", "fixes teacher, training data and test set, whatever the algorithm", "0 or more"),
    _key("d", "token dimension", "1 or more", "1"),
    _key("n", "training samples", "1 or more", "1", Definition("n = α d²", r"n = \alpha d^2")),
    _key(
        "p", "width of the trained factor", "1 or more", "1", Definition("p = κd", r"p = \kappa d")
    ),
    _key("observables", "result keys measured on the run", "{key: number}", "6"),
    _key(
        "sampling_error",
        "standard errors of the test errors over the finite test set",
        "{key: number}",
        "6",
    ),
    _key(
        "theory",
        "the paired theory: at this teacher's own eigenvalues, with alpha = n/d^2 and kappa = p/d; "
        "null where it was not asked for or did not converge",
        "{key: number} or null",
        "16",
    ),
    _key("theory_error", "absolute error bars of theory", "{key: number} or null", "16"),
    _key(
        "deviations",
        "relative deviations of the run from its paired theory",
        "{key: number}",
        "16",
        Definition("observed/theory − 1", r"\text{observed}/\text{theory}-1"),
    ),
    _key("lam", "penalty of the run; with --lam-path the last one", "greater than 0", "1"),
    _key("data_hash", "SHA-256 of teacher, tokens and noise of the training set", "text"),
    _key("algorithm", "how the head was trained", "text", "10"),
    _key("precision", "floating-point numbers of the training", "text"),
    _key("device", "cpu or cuda", "text"),
    _key("centring", "how scores are centred: by Tr S or by the mean over samples", "text", "1"),
    _key("tokens_law", "law of the tokens' entries", "text", "1"),
    _key("seconds", "wall time: of the run, or by stage of its training", "0 or more"),
    _key("converged", "whether the run met its gradient certificate", "true or false", "10"),
)
_CERTIFICATE = (
    _key("certificate", "evidence that training ended at a stationary point", "object", "10"),
    _key(
        "gradient",
        "relative gradient norm in W, recomputed at the end in float64; of a map trained without "
        "factors the larger of slackness and dual_violation",
        "0 or more",
        "10",
    ),
    _key("tolerance", "what was asked of gradient", "greater than 0", "10"),
    _key(
        "slackness",
        "KKT residual of the problem in S: what complementary slackness leaves",
        "0 or more",
        "10",
        Definition(
            "‖H S‖_F/(d λ̃ max(‖S‖_F, √d)), H the loss's gradient in S, penalty included",
            r"\|HS\|_F/(d\tilde\lambda\max(\|S\|_F,\sqrt d))",
        ),
    ),
    _key(
        "dual_violation",
        "KKT residual of the problem in S: a direction outside S that would still lower the loss",
        "0 or more",
        "10",
        Definition(
            "max(0, −least eigenvalue of H)/(d λ̃), H the loss's gradient in S, penalty included",
            r"\max(0,-\lambda_{\min}(H))/(d\tilde\lambda)",
        ),
    ),
    _key(
        "objective",
        "the loss that was minimised, a sum over samples plus the penalty",
        "0 or more",
        "1",
        Definition("L(W), or Σℓ + d λ̃ Tr S", r"L(W)"),
    ),
    _key("steps", "steps by stage of the training", "{stage: number}"),
    _key("advice", "what to do where the certificate fails; empty otherwise", "text"),
    _key(
        "complement",
        "of a map trained without factors under a nuclear norm: the largest eigenvalue of minus "
        "the data's gradient on the null space of S, over d lam_tilde; at most 1 where S is "
        "stationary",
        "real or null",
        "10",
    ),
)
_MESSAGE_PASSING = (
    _key("iterations", "order parameters along message passing, empty for others", "list", "10"),
    _key("step", "number of the iteration", "1 or more", "10"),
    _key(
        "change",
        "relative change of the map in the iteration",
        "0 or more",
        "10",
        Definition(
            "‖S_new − S‖_F/max(‖S‖_F, √d)",
            r"\|S_{\mathrm{new}}-S\|_F/\max(\|S\|_F,\sqrt d)",
        ),
    ),
    _key(
        "turn",
        "cosine between this change of the map and the last: -1 oscillates, 1 creeps",
        "-1 to 1",
        "10",
    ),
)

KEYS = (*_RUN, *_CERTIFICATE, *_MESSAGE_PASSING)
