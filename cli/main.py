"""The ``attlas`` command: finds the verb, runs it, turns its outcome into an exit code."""

from __future__ import annotations

import inspect
import signal
import sys
import warnings
from collections.abc import Sequence
from typing import NoReturn

from cyclopts import App, CycloptsError

from attlas.cli.streams import abandon_output, notices_told, open_streams
from attlas.cli.usage import (
    as_flags,
    plugin_files,
    refusal,
    usage_sentence,
    with_negative_values,
)
from attlas.cli.version import version_text
from attlas.model import BadInput, load_plugin
from attlas.model.errors import EXTRAS, ComputationFailed, missing_package
from attlas.model.plugins import blamed

SUCCESS, FAILURE, BAD_INPUT, INTERRUPTED, TERMINATED = 0, 1, 2, 130, 143

#: Every verb and its help. The verb's module, cli/VERB.py, is imported when it is run.
VERBS: dict[str, str] = {
    "solve": """Solve the theory of one problem: every result with its error bar.

    lam = 0 is the limit lam -> 0+, which plain training without a penalty does not reach.
    """,
    "simulate": """Train heads on data drawn from the problem, beside the theory at each teacher.

    A seed fixes teacher, training data and test set, whatever the algorithm and the device.
    """,
    "threshold": """Find a threshold to any number of digits, with a proof if asked for.

    interpolation, perfect-recovery, bayes and bulk-split answer in alpha and take --kappa0,
    --noise and --tokens; collapse answers in lam and takes a whole problem but lam; weak-recovery
    answers in alpha, for a spiked target and a whole problem but alpha.
    """,
    "best-lambda": """Find the penalty of least test error, and what it costs to miss it.""",
    "sweep": """Solve a grid of problems into one tidy table, in parallel.

    A numeric parameter may be a list (0.1,0.2,0.5), a range (0.1:1:10) or a geometric range
    (0.01:1:5:log). With --out an interrupted sweep resumes when the command is repeated.
    """,
    "spectrum": """Predict the law of the trained map: bulk, outliers, the share of zeros.

    With --simulate heads are trained and compared with draws of the predicted law; with --weights
    the query-key maps of a trained model are described instead.
    """,
    "phase": """Trace phase boundaries through a plane of problems, and map an observable.

    Boundaries are curves with brackets, straight between their points within --tolerance.
    Without --lam the plane is that of the limit lam -> 0+.
    """,
    "decompose": """Split the test error into overfitting, underfitting, approximation, mismatch.

    over + under + approx is the squared error to the target at its best scale, exactly.
    """,
    "dynamics": """Follow training in time: the population gradient flow, mode by mode.

    The limit of infinitely many samples, from S = sigma0 I. At finite alpha training departs from
    it, and theory in time would need two-time equations, which are not covered.
    """,
    "tokens": """Measure tokens of a file: covariance, length, distance from Gaussian ones.

    Embeddings or activations, a token each row. With --out their eigenvalues are written for
    --token-covariance file:PATH; attlas simulate --token-data FILE trains on the tokens themselves.
    """,
    "scaling": """Scaling laws of a power-law target: the (n, lam) plane, phases, exponents.

    One token, factorised training. With --table the exponents and constants of every phase are
    measured at two points inside it and compared with prediction.
    """,
    "compare": """Judge runs from elsewhere, rows of a CSV or Parquet file, beside the theory.

    Columns are parameters, d, seed and result keys; --map takes other names and units.
    """,
    "verify": """Run a suite of claims and print the verdicts.

    Exit code 1 means an unexpected disagreement, or a wrong theory that was not rejected.
    """,
    "derive": """Derive a result of the theory from the free energy, step by step.

    Parameters that are given are put in as exact values; the others stay symbols.
    """,
    "explain": """Say what a symbol or a result key is, its equation, and where it appears.""",
    "report": """Run a suite of claims and write the report, a page that opens offline.""",
    "reproduce": """Make a picture of the paper, theory and simulation, with its data.

    Takes about a minute; with --full, at the paper's sizes, half a minute to an hour. A picture
    that was interrupted goes on when the command is repeated.
    """,
    "doctor": """Describe this installation for a bug report, and say what needs repair.""",
}

app = App(
    name="attlas",
    help=(
        "The exact high-dimensional theory of a trained attention head: derived, solved and "
        "checked against trained heads."
    ),
    version=version_text,
    help_format="plaintext",
    help_epilogue="--plugin FILE: targets, channels and estimators of your own, for any command.",
    suppress_keyboard_interrupt=False,
)
for _verb, _help in VERBS.items():
    _module = _verb.replace("-", "_")
    app.command(f"attlas.cli.{_module}:{_module}", name=_verb, help=inspect.cleandoc(_help))
app.register_install_completion_command(
    help="Install completion of commands and options for bash, zsh or fish, and exit."
)


def main(arguments: Sequence[str]) -> int:
    """Run one command.

    Parameters
    ----------
    arguments : sequence of str
        What follows ``attlas``.

    Returns
    -------
    int
        0 success; 1 an unexpected disagreement, an accepted control or a solve that did not
        converge; 2 bad input; 130 interrupted.
    """
    try:
        return _run(arguments)
    except Exception as error:
        sentence = blamed(error)
        if sentence is None:
            raise
        return _refuse(sentence)


def _run(arguments: Sequence[str]) -> int:
    words = with_negative_values(arguments)
    try:
        words, plugins = plugin_files(words)
        for file in plugins:
            load_plugin(file)
        with notices_told():
            code = app(
                words,
                exit_on_error=False,
                print_error=False,
                result_action="return_value",
            )
        sys.stdout.flush()
        return code or SUCCESS
    except CycloptsError as error:
        return _refuse(usage_sentence(error))
    except BadInput as error:
        return _refuse(refusal(error, _flags(words)))
    except MemoryError:
        return _out_of_memory()
    except ArithmeticError:
        from attlas.solver.status import Status

        print(Status.OUT_OF_RANGE.value, file=sys.stderr)
        return FAILURE
    except ModuleNotFoundError as absent:
        if absent.name not in EXTRAS:
            raise
        print(missing_package(absent.name), file=sys.stderr)
        return FAILURE
    except ComputationFailed as failure:
        print(as_flags(str(failure)), file=sys.stderr)
        return FAILURE
    except RuntimeError as error:
        torch = sys.modules.get("torch")
        if torch is None or not isinstance(error, torch.OutOfMemoryError):
            raise
        return _out_of_memory()
    except KeyboardInterrupt:
        print("Interrupted.", file=sys.stderr)
        return INTERRUPTED
    except SystemExit as ended:
        if isinstance(ended.__context__, BrokenPipeError):  # as rich ends it, for --help
            return SUCCESS
        raise
    except BrokenPipeError:
        # The reader, e.g. `head`, has what it wanted.
        abandon_output()
        return SUCCESS
    except OSError as error:
        abandon_output()
        print(f"{error.filename or 'attlas'}: {error.strerror}.", file=sys.stderr)
        return FAILURE


def _out_of_memory() -> int:
    print(
        "Out of memory: lower --d, --n, --kappa, --tokens or the size of the grid.",
        file=sys.stderr,
    )
    return FAILURE


def _flags(arguments: Sequence[str]) -> set[str]:
    """All flags of the command that was called."""
    _, apps, _ = app.parse_commands(list(arguments))
    own = {name for one in apps[-1].assemble_argument_collection() for name in one.names}
    return own | {"--plugin"}


def _refuse(sentence: str) -> int:
    print(sentence, file=sys.stderr)
    return BAD_INPUT


def run() -> None:
    """The command with the arguments of this process, which ends with it."""
    open_streams()
    signal.signal(signal.SIGTERM, _terminate)
    # joblib tells of the jobs that an interrupt cancels: that is what an interrupt is for.
    warnings.filterwarnings("ignore", category=UserWarning, module=r"joblib\.parallel")
    sys.exit(main(sys.argv[1:]))


def _terminate(*_: object) -> NoReturn:
    """Leave through Python, so that worker processes end with the command."""
    raise SystemExit(TERMINATED)
