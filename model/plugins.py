"""Plug-ins: files of a user's own, and installed packages, whose classes are parts of problems."""

from __future__ import annotations

import hashlib
import importlib
import os
import re
import sys
import traceback
from collections.abc import Sequence
from functools import cache
from importlib.machinery import ModuleSpec, PathFinder
from importlib.util import spec_from_file_location
from pathlib import Path
from types import ModuleType

from attlas.model.errors import BadInput

#: Entry points of packages: modules that register parts when they are imported.
GROUP = "attlas.plugins"
#: The environment variable that tells worker processes of the files, as PATH lists folders.
VARIABLE = "ATTLAS_PLUGINS"

#: What stands in a file, by the parameter that it is given as.
_EXAMPLES = {"plugin": "model", "claim_file": "claims"}

#: Files are imported as modules below this one, by a finder, so that pickles name their classes.
__path__: list[str] = []


class _Files:
    """Finds the modules of the files in :data:`VARIABLE`."""

    @staticmethod
    def find_spec(
        name: str,
        path: Sequence[str] | None = None,  # noqa: ARG004
        target: ModuleType | None = None,  # noqa: ARG004
    ) -> ModuleSpec | None:
        for file in files():
            if name == module_name(file):
                folder = str(file.parent)
                if folder not in sys.path:  # as for a script: what lies beside it is imported
                    sys.path.append(folder)
                return spec_from_file_location(name, file)
        return None


sys.meta_path.append(_Files)  # pyright: ignore[reportArgumentType]  # static methods serve


def files() -> list[Path]:
    """The plug-in files of this process and of its parents."""
    return [Path(text) for text in os.environ.get(VARIABLE, "").split(os.pathsep) if text]


def module_name(file: Path) -> str:
    """The module that a plug-in file is; files of one name in two folders are two."""
    return f"{__name__}.{file.stem.replace('.', '_')}_{_hash(str(file).encode())}"


def import_file(file: str | Path, parameter: str = "plugin") -> ModuleType:
    """Run a file of a user's own, once; worker processes that start later run it too.

    Other files that import it by its name get the same module.

    Parameters
    ----------
    file : path
    parameter : str
        What the file was given as, for messages.

    Raises
    ------
    BadInput
        If there is no such file, or its code fails: with the line, and what Python says of it.
    """
    path = Path(file).expanduser()
    if path.suffix != ".py" or not path.is_file():
        valid = f"must be the path of a Python file, such as my_{_EXAMPLES[parameter]}.py"
        raise BadInput(parameter, str(file), valid)
    path, known = path.resolve(), files()
    name = module_name(path)
    if path not in known:
        os.environ[VARIABLE] = os.pathsep.join(map(str, [*known, path]))
    try:
        module = importlib.import_module(name)
    except (Exception, SystemExit) as error:
        os.environ[VARIABLE] = os.pathsep.join(str(one) for one in known if one != path)
        raise BadInput(parameter, str(file), _fault(error, path)) from error
    plain = PathFinder.find_spec(path.stem)
    if plain is not None and plain.origin == str(path):
        sys.modules.setdefault(path.stem, module)
    return module


@cache
def import_installed() -> None:
    """Import the plug-ins that the environment names, and those of installed packages, once.

    Raises
    ------
    BadInput
        If one of them fails.
    """
    from importlib.metadata import entry_points

    for file in files():
        import_file(file)
    for entry in entry_points(group=GROUP):
        try:
            entry.load()
        except (Exception, SystemExit) as error:
            said = f"of the entry points {GROUP} fails: {_said(error)}"
            advice = f"repair or uninstall {entry.dist.name if entry.dist else 'its package'}"
            raise BadInput("plugin", entry.value, said, advice) from error


def blamed(error: BaseException) -> str | None:
    """Which line of a plug-in file an error comes from, in a sentence; None for other errors.

    Errors of worker processes count: the text of their tracebacks is a cause of the error here.
    """
    if not files():
        return None
    text = "".join(traceback.format_exception(error))
    for file in files():
        lines = re.findall(rf'File "{re.escape(str(file))}", line (\d+)', text)
        if lines:
            return f"{file.name}, line {lines[-1]}: {_said(error)}."
    return None


def file_of(cls: type) -> Path | None:
    """The file that a class outside attlas is written in."""
    module = cls.__module__
    file = getattr(sys.modules.get(module), "__file__", None)
    own = module.startswith("attlas.") and not module.startswith(f"{__name__}.")
    return None if file is None or own else Path(file)


@cache
def digest(file: Path) -> str:
    """The name and a digest of a file: rows on disk that rest on its code are known by it."""
    return f"{file.name}:{_hash(file.read_bytes())}"


def _hash(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()[:16]


def _fault(error: BaseException, path: Path) -> str:
    if isinstance(error, SyntaxError) and error.filename == str(path):
        return f"line {error.lineno}: {error.msg}"
    frames = [f for f in traceback.extract_tb(error.__traceback__) if f.filename == str(path)]
    return f"line {frames[-1].lineno}: {_said(error)}" if frames else _said(error)


def _said(error: BaseException) -> str:
    text = " ".join(str(error).split()).removesuffix(".")
    return text if isinstance(error, BadInput) else f"{type(error).__name__}: {text}"
