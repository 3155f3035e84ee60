"""Keys of ``verify`` and ``report``: the suite, its claims, and the numbers behind a verdict."""

from __future__ import annotations

from attlas.model.result_key import JSON_PAGE, Definition, ResultKey
from attlas.symbolic.result_keys.key import result_key

_VERBS = ("verify", "report", "compare")
_JUDGE, _REPORT = "docs/judge.md", "docs/report.md"


def _key(
    key: str,
    meaning: str,
    domain: str,
    page: str = JSON_PAGE,
    definition: Definition | None = None,
) -> ResultKey:
    return result_key(key, _VERBS, meaning, domain, page, definition)


_SUITE = (
    _key("suite", "the suite that was run", "text"),
    _key("schema", "version of the document", "text"),
    _key("purpose", "what the suite is for", "text"),
    _key("command", "repeats the suite", "text", _REPORT),
    _key("seed", "of the suite: fixes the data of every run", "0 or more"),
    _key("level", "family-wise level of the verdicts", "between 0 and 1", _JUDGE),
    _key("algorithm", "how heads were trained", "text"),
    _key("device", "cpu or cuda", "text"),
    _key("started", "when the suite began", "date and time"),
    _key("seconds", "wall time: of each stage, or of the runs of a size", "0 or more"),
    _key("rows_made", "runs that were trained now", "0 or more"),
    _key("rows_reused", "runs that were taken from the store", "0 or more"),
    _key("machine", "what it ran on", "{name: text}", _REPORT),
    _key("packages", "versions of what attlas stands on", "{name: text}", _REPORT),
    _key("exit_code", "1 for an unexpected disagreement or an accepted control", "0 or 1", _REPORT),
    _key("page", "where the report's page is", "path", _REPORT),
    _key("suites", "with --list: every suite, its purpose, minutes and claims", "{name: object}"),
    _key("minutes", "about what the suite takes", "greater than 0"),
    _key("made", "with --index: runs made by this part", "0 or more", "docs/cluster.md"),
    _key("present", "with --index: runs that were in the store", "0 or more", "docs/cluster.md"),
    _key("missing", "with --index: runs that are still to be made", "0 or more", "docs/cluster.md"),
    _key("rows", "with --merge: runs in the store after merging", "0 or more", "docs/cluster.md"),
    _key("added", "with --merge: runs that were new", "0 or more", "docs/cluster.md"),
    _key("repeated", "with --merge: runs that were there already", "0 or more", "docs/cluster.md"),
)

_CLAIM = (
    _key("claims", "what is claimed, one entry a claim; within coverage and --list, ids", "list"),
    _key("id", "name of a claim or of a control", "text"),
    _key("title", "the claim in a few words", "text"),
    _key("statement", "the claim, the control or the statement of theory in words", "text"),
    _key("equation", "target of attlas derive", "text"),
    _key("latex", "the claim's equations", "list of LaTeX"),
    _key("source", "section of theory.md that the claim rests on", "text"),
    _key("measurement", "how the claim is measured", "text"),
    _key(
        "left_out",
        "what the suite does not ask, because its design would not decide it",
        "list of {quantities, points, reason}",
        _JUDGE,
    ),
    _key("quantities", "result keys that are not asked for", "list of text", _JUDGE),
    _key("outcome", "the verdict", "agrees, disagrees, undecided or no-theory", _JUDGE),
    _key(
        "controls", "wrong theories judged on the same runs; each must be rejected", "list", _JUDGE
    ),
    _key("rejected", "whether the control disagrees somewhere", "true or false", _JUDGE),
    _key("curves", "theory along alpha through points of the claim", "list", _REPORT),
    _key("alpha", "samples over d^2 along a curve", "numbers", "docs/theory.md, section 1"),
    _key("coverage", "statements of the theory, and whether a claim tests them", "list", _REPORT),
    _key("section", "of theory.md", "text", _REPORT),
)

_POINT = (
    _key("points", "problems of the claim; of a curve, their names", "list"),
    _key("key", "name of the point", "text"),
    _key("parameters", "of the problem, exact, as flags of the command line", "{name: value}"),
    _key("theory", "theory as d -> infinity, by result key; of drift, changes of it", "object"),
    _key("theory_error", "absolute error bars of theory", "{key: number}"),
    _key("margins", "by result key: the margin, committed before the runs", "object", _JUDGE),
    _key("value", "the margin: a relative deviation within it is agreement", "above 0", _JUDGE),
    _key("distances", "relative distance of each wrong theory", "{name: number}", _JUDGE),
    _key("blind", "wrong theories that the quantity cannot tell apart", "list", _JUDGE),
    _key("sizes", "runs by dimension; of a verdict, the dimensions", "list", _JUDGE),
    _key("commands", "repeat the point's runs", "list", _REPORT),
    _key("d", "token dimension; of drift, null for theory", "1 or more"),
    _key("n", "training samples", "1 or more"),
    _key("seeds", "of the runs; of a verdict, converged runs at each dimension", "list", _JUDGE),
    _key("not_converged", "runs without a certificate", "0 or more"),
    _key("mean", "measured, over converged runs, by result key", "{key: number}"),
    _key(
        "standard_error",
        "of mean; of a verdict, of deviation, from the scatter over seeds",
        "0 or more",
        _JUDGE,
    ),
    _key("largest_certificate", "largest relative gradient of the runs", "0 or more", _JUDGE),
)

_VERDICT = (
    _key("verdicts", "one entry for each point and quantity", "list", _JUDGE),
    _key("claim", "id of the claim", "text", _JUDGE),
    _key("point", "name of the point", "text", _JUDGE),
    _key("quantity", "result key that is judged", "text", _JUDGE),
    _key("reason", "why the outcome is what it is, and what would decide", "text", _JUDGE),
    _key("low", "lower end of the band of the deviation, or of rate", "real", _JUDGE),
    _key("high", "upper end of the band of the deviation, or of rate", "real", _JUDGE),
    _key(
        "state",
        "of a statement: whether and where it is tested; of a comparison, the verdict in full: "
        "undecided splits into wider (agrees, to a wider margin than was "
        "wanted), in-tension (the interval excludes theory) and open (no honest fit)",
        "agrees, disagrees, departs-as-declared, wider, in-tension, open or no-theory",
        _JUDGE,
    ),
    _key(
        "margin",
        "what the runs establish: the deviation is within this of the band's middle, all margins "
        "of the suite at once with the level's confidence",
        "0 or more, or inf",
        _JUDGE,
    ),
    _key("expected", "a declared departure, found inside its band", "true or false", _JUDGE),
    _key("failed_runs", "runs without a certificate", "0 or more", _JUDGE),
    _key(
        "deviation",
        "relative deviation of runs from their paired theory, extrapolated to d -> infinity",
        "real",
        _JUDGE,
        Definition(
            "intercept in 1/d of (measured − theory)/theory",
            r"\lim_{d\to\infty}(\text{measured}-\text{theory})/\text{theory}",
        ),
    ),
    _key("dof", "degrees of freedom of standard_error", "above 0", _JUDGE),
    _key("interval", "90 % interval of deviation, widened by systematic", "[low, high]", _JUDGE),
    _key("systematic", "error of deviation that no seeds reduce", "0 or more", _JUDGE),
    _key("coefficients", "of powers 0, 1, ... of 1/d in the fit", "list", _JUDGE),
    _key("order", "highest power of 1/d in the fit", "1 or 2", _JUDGE),
    _key(
        "goodness_of_fit",
        "p-value of the extrapolation: chance of a larger chi_square if its form is right",
        "between 0 and 1",
        _JUDGE,
    ),
    _key("chi_square", "lack of fit of the extrapolation", "0 or more", _JUDGE),
    _key("fit_dof", "degrees of freedom of chi_square", "0 or more", _JUDGE),
    _key(
        "power",
        "chance that such runs find agreement if theory is exactly right",
        "between 0 and 1",
        _JUDGE,
    ),
    _key(
        "detectable",
        "deviation that such runs find outside the band with chance 0.8",
        "greater than 0",
        _JUDGE,
    ),
    _key(
        "rate",
        "how fast deviations fall, if they vanish in the limit",
        "{exponent, low, high}",
        _JUDGE,
    ),
    _key(
        "exponent",
        "power of 1/d by which deviations fall",
        "real",
        _JUDGE,
        Definition("deviation ∝ d^−exponent", r"\text{deviation}\propto d^{-r}"),
    ),
    _key("p_agree", "p-value against lying outside the band", "between 0 and 1", _JUDGE),
    _key("p_disagree", "p-value against lying inside the band", "between 0 and 1", _JUDGE),
    _key(
        "p_agree_step_up",
        "p_agree, corrected over all questions (Hochberg)",
        "between 0 and 1",
        _JUDGE,
    ),
    _key(
        "p_disagree_holm",
        "p_disagree, corrected over all questions (Holm)",
        "between 0 and 1",
        _JUDGE,
    ),
)

_DRIFT = (
    _key("drift", "what changed since a baseline; null without --against", "object", _REPORT),
    _key("sentence", "the drift in words", "text", _REPORT),
    _key("reasons", "why the baseline was accepted, the latest first", "list", _REPORT),
    _key(
        "same_data",
        "whether all runs were trained on the baseline's data",
        "true or false",
        _REPORT,
    ),
    _key("compared", "how many numbers were compared", "{theory, simulation}", _REPORT),
    _key("simulation", "means of runs that moved beyond chance, or how many", "list", _REPORT),
    _key("old", "the baseline's", "number or text", _REPORT),
    _key("new", "this suite's", "number or text", _REPORT),
    _key("allowed", "how far apart old and new may be", "0 or more", _REPORT),
    _key("p", "of equal means, on other data, corrected (Holm)", "between 0 and 1", _REPORT),
    _key("flagged", "whether the change is beyond what is allowed", "true or false", _REPORT),
    _key("where", "claim, point and quantity of a verdict that changed", "text", _REPORT),
    _key("worse", "whether the new verdict is worse", "true or false", _REPORT),
    _key("timings", "stages and how long they took", "list", _REPORT),
    _key("what", "the stage", "text", _REPORT),
    _key("ratio", "new over old time", "greater than 0", _REPORT),
)

KEYS = (*_SUITE, *_CLAIM, *_POINT, *_VERDICT, *_DRIFT)
