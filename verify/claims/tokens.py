"""Three properties of tokens that the limit sees: their norm, covariance, correlation."""

from __future__ import annotations

from attlas.model import Problem, problem_from
from attlas.verify.claims.claim import Claim, Design, LeftOut, Point, Statement
from attlas.verify.claims.controls import DOUBLED_PENALTY
from attlas.verify.claims.controls.isotropic_tokens import FREE_LENGTH, ISOTROPIC_TOKENS
from attlas.verify.claims.quantities import LOSS, OVERLAP, SELF_OVERLAP, TEST_ERROR, TRAIN_ERROR

_TWO_VALUES = "atoms:0.25/1.75"
_SIGNS, _SIGNS_LINEAR = "entries ±1", "entries ±1, one token"
_TWO, _FIXED = "eigenvalues 1/4 and 7/4", "normalised, eigenvalues 1/4 and 7/4"
_ALIKE, _UNLIKE = "correlation ½", "correlation −½"


def _softmax(**tokens: str) -> Problem:
    return problem_from(alpha="0.5", lam="0.05", kappa0="0.5", noise="0.5", **tokens)


def _linear(alpha: str, lam: str, **tokens: str) -> Problem:
    return problem_from(alpha=alpha, lam=lam, kappa0="0.5", noise="0.5", tokens="1", **tokens)


def _claim(
    name: str,
    title: str,
    statement: str,
    covers: str,
    points: dict[str, Problem],
    where: str,
    runs: Design,
) -> Claim:
    """A claim on tokens that the theory of isotropic Gaussian ones must fail."""
    return Claim(
        id=name,
        title=title,
        statement=statement,
        equation="state-evolution",
        covers=Statement("17", covers),
        measurement=(
            "Heads are trained on tokens drawn with this law and compared with its theory at the "
            f"teacher's own eigenvalues{where}; the deviation is extrapolated in 1/d."
        ),
        points=tuple(Point(key, problem) for key, problem in points.items()),
        quantities=(LOSS, TRAIN_ERROR, TEST_ERROR, SELF_OVERLAP, OVERLAP),
        controls=(ISOTROPIC_TOKENS, FREE_LENGTH, DOUBLED_PENALTY),
        designs={"full": runs},
        absent={"standard": "Its runs have not been made yet; the full suite asks it."},
    )


#: Over 1/d these decide what is asked: the loss scatters by 0.8 to 1.3, errors by up to 2.6.
_RUNS = {20: 60, 32: 40, 72: 20}
_CHEAP = {20: 100, 32: 60, 72: 40}
_OVERLAPS = LeftOut(
    "Over d, runs scatter by 60 to 160 times the margin: Tr CS₀CS₀ depends on how the teacher lies "
    "to C.",
    ("q", "m"),
)
_WHITENED = " and those of the covariance at that dimension, by the maps C^½SC^½"

NORM_FLUCTUATION = _claim(
    "norm-fluctuation",
    "Tokens whose norm does not fluctuate",
    "Of isotropic tokens the limit sees one number more, the fluctuation of their squared length, "
    "Var(‖x‖²)/d = 2 + k. With entries ±1 it is 0, k = −2: diagonal scores then do not tell the "
    "trace of S, and all errors move.",
    "The fluctuation of the tokens' norm enters through the trace of S.",
    {
        _SIGNS: _softmax(tokens_law="rademacher"),
        _SIGNS_LINEAR: _linear("0.3", "0.3", tokens_law="rademacher"),
    },
    "",
    Design(
        (_SIGNS, _SIGNS_LINEAR),
        _RUNS,
        runs_at={_SIGNS_LINEAR: _CHEAP},
        left_out=(
            LeftOut(
                "Over d, runs scatter by 100 times the margin or more.",
                ("loss", "test_error", "q", "m"),
                (_SIGNS_LINEAR,),
            ),
        ),
    ),
)
TOKEN_COVARIANCE = _claim(
    "token-covariance",
    "Tokens with a covariance",
    "Tokens of covariance C see the teacher and the student between two roots of C, and weight "
    "decay as a penalty Tr C⁻¹S̃ on S̃ = C^½SC^½: errors and overlaps are those of that problem.",
    "Covariance of the tokens: a problem of whitened maps.",
    {
        _TWO: _softmax(token_covariance=_TWO_VALUES),
        f"{_TWO}, one token": _linear("0.3", "0.1", token_covariance=_TWO_VALUES),
    },
    _WHITENED,
    Design((_TWO,), _RUNS, left_out=(_OVERLAPS,)),
)
NORMALISED_TOKENS = _claim(
    "normalised-tokens",
    "Normalised tokens with a covariance",
    "Tokens of any covariance that are brought to one length, as models do it, have diagonal "
    "scores of S − Tr(CS)/d: two traces of the whitened map enter the limit, which is neither that "
    "of their covariance alone nor that of isotropic tokens of one length.",
    "Normalised tokens of any covariance.",
    {
        _FIXED: _softmax(tokens_law="normalised", token_covariance=_TWO_VALUES),
        f"{_FIXED}, one token": _linear(
            "0.3", "0.1", tokens_law="normalised", token_covariance=_TWO_VALUES
        ),
    },
    _WHITENED,
    Design(
        (_FIXED,),
        _RUNS,
        left_out=(
            _OVERLAPS,
            LeftOut("Over d, runs scatter by 90 times the margin.", ("loss",), (_FIXED,)),
        ),
    ),
)
CORRELATED_POSITIONS = _claim(
    "correlated-positions",
    "Sequences of correlated tokens",
    "Tokens of a sequence that are correlated by a matrix A have the scores A^½hA^½: the channel's "
    "covariance changes, and nothing on the side of the map.",
    "Correlated positions of a sequence.",
    {
        _ALIKE: _softmax(token_positions="rows:1,0.5:0.5,1"),
        _UNLIKE: _softmax(token_positions="rows:1,-0.5:-0.5,1"),
    },
    "",
    Design(
        (_ALIKE,),
        _RUNS,
        left_out=(LeftOut("Over d, runs scatter by 60 to 100 times the margin.", ("q", "m")),),
    ),
)
