"""The parts of the site that are made from the program itself, so that nothing is typed twice.

Equations and notation come from ``symbolic``, options from the commands' own help, schemas from
their files, and the API pages from the docstrings. Written into docs/generated at build time.
"""

from __future__ import annotations

import contextlib
import io
import json
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

import attlas
from attlas.cli.main import VERBS, main

if TYPE_CHECKING:
    from sphinx.application import Sphinx

HERE = Path(__file__).parent
#: What the solvers return, besides the public names: (module, class).
RETURNED = (
    ("attlas.solver.result", "Result"),
    ("attlas.solver.solution", "Observables"),
    ("attlas.solver.status", "Status"),
    ("attlas.solver.solution", "SolveError"),
    ("attlas.verify.simulation.result", "Run"),
)
#: Pages that the index places itself; the others are listed under its last heading.
_TOPICS = "% topics"


def write_all(folder: Path) -> None:
    """Write every generated part; a file that is already right is not touched."""
    folder.mkdir(exist_ok=True)
    parts = {
        "derivations.md": derivations(),
        "notation.md": notation(),
        "api.md": api(),
        "schemas.md": schemas(),
        "json.md": json_keys(),
        **{f"help-{verb}.md": help_of(verb) for verb in VERBS},
    }
    for name, content in parts.items():
        path = folder / name
        if not path.exists() or path.read_text(encoding="utf-8") != content:
            path.write_text(content, encoding="utf-8")


def derivations() -> str:
    """Every derivation: statement, equations, assumptions, steps and symbols."""
    from attlas.symbolic.derive import TARGETS, derivation_of
    from attlas.symbolic.render import latex_rows, legend

    def shown(side: Any) -> str:
        return side if isinstance(side, str) else _display(latex_rows(side))

    parts = []
    for target in TARGETS:
        found = derivation_of(target)
        parts += [f"## {found.title}", found.statement, f"From theory.md {found.source}."]
        parts += [_display(latex_rows(equation)) for equation in found.equations.values()]
        parts += ["**Assumptions**", "\n".join(f"- {text}" for text in found.assumptions)]
        parts.append("**How it follows**")
        for number, step in enumerate(found.steps, start=1):
            kind = "assumed" if step.is_assumption else "checked"
            parts += [f"*Step {number} ({kind}).* {step.rule}", shown(step.before)]
            parts += ["becomes", shown(step.after)]
        parts.append(
            f"`attlas derive {found.key} --steps` runs the checks; the same equations as LaTeX: "
            f"`attlas derive {found.key} --format latex`."
        )
        symbols = [
            f"| {_inline(one.latex)} | `{one.key}` | {one.meaning} |" for one in legend(found)
        ]
        parts.append("\n".join(["| symbol | name | meaning |", "|---|---|---|", *symbols]))
    return "\n\n".join(parts) + "\n"


def notation() -> str:
    """Every symbol once, by kind, and every result key, by command."""
    from attlas.cli.catalogue import catalogue
    from attlas.symbolic.notation import Kind, notations

    parts = []
    for kind in Kind:
        rows = [
            f"| {_inline(one.latex)} | `{one.key}` | {_cell(one.domain)} | {_cell(one.meaning)} "
            f"| {one.section} |"
            for one in notations()
            if one.kind is kind
        ]
        if rows:
            head = ["| symbol | name | domain | meaning | section |", "|---|---|---|---|---|"]
            parts.append(f"## {kind.value[0].upper()}{kind.value[1:]}")
            parts.append("\n".join([*head, *rows]))
    keys = [one for senses in catalogue().keys.values() for one in senses]
    for verb in dict.fromkeys(one.verbs[0] for one in keys):
        rows = [
            f"| `{one.key}` | {_formula(one)} | {_cell(one.domain)} | {_cell(one.meaning)} |"
            for one in keys
            if one.verbs[0] == verb
        ]
        parts.append(f"## Result keys of {verb}")
        parts.append(
            "\n".join(["| key | definition | domain | meaning |", "|---|---|---|---|", *rows])
        )
    return "\n\n".join(parts) + "\n"


def help_of(verb: str) -> str:
    """The command's own help."""
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        main([verb, "--help"])
    return f"```text\n$ attlas {verb} --help\n{printed.getvalue().strip()}\n```\n"


def api() -> str:
    """Public names and what the solvers return, from their docstrings."""
    parts = ["## Public names of `attlas`"]
    for name in attlas.__all__:
        if isinstance(getattr(attlas, name), ModuleType):
            named = f'<a id="attlas.{name}"></a>`attlas.{name}`:'
            parts += [named, _auto("automodule", attlas.__dict__[name].__name__)]
        elif not name.startswith("_"):
            kind = "autoclass" if isinstance(getattr(attlas, name), type) else "autofunction"
            parts.append(_auto(kind, f"attlas.{name}"))
    parts.append("## What the functions return")
    parts += [_auto("autoclass", f"{module}.{name}") for module, name in RETURNED]
    return "\n\n".join(parts) + "\n"


def schemas() -> str:
    """The shared schemas in full, and each command's to download."""
    from attlas.cli.schema import FOLDER

    parts = []
    for path in (FOLDER / "document.schema.json", HERE.parent / "reports/report.schema.json"):
        text = path.read_text(encoding="utf-8").strip()
        parts += [f"## {path.name}", f"```json\n{text}\n```"]
    parts.append("## Commands")
    names = [f"attlas-{verb}.schema.json" for verb in VERBS]
    parts.append("\n".join(f"- {{download}}`{one} <../cli/schemas/{one}>`" for one in names))
    return "\n\n".join(parts) + "\n"


def json_keys() -> str:
    """The keys of every command's result as tables, from its schema."""
    from attlas.cli.schema import FOLDER

    parts = []
    for verb in VERBS:
        path = FOLDER / f"attlas-{verb}.schema.json"
        result = json.loads(path.read_text(encoding="utf-8"))["properties"]["result"]
        parts.append(f"## {verb}")
        for mode in result.get("oneOf", [result]):
            parts += [f"`result` with {mode['title']}:"] if "title" in mode else []
            if "properties" not in mode:
                parts.append(f"As {mode['$ref']} says.")
                continue
            rows = [
                f"| `{key}` | {_type(one)} | {_cell(one.get('description', ''))} |"
                for key, one in _rows(mode)
            ]
            parts.append("\n".join(["| key | type | meaning |", "|---|---|---|", *rows]))
    return "\n\n".join(parts) + "\n"


def _rows(part: dict[str, Any], above: str = "") -> Iterator[tuple[str, dict[str, Any]]]:
    """Every key of an object with its place, as ``runs[].seed``, and its schema."""
    for key, one in part.get("properties", {}).items():
        yield f"{above}{key}", one
        yield from _rows(one, f"{above}{key}.")
        yield from _rows(one.get("items", {}), f"{above}{key}[].")
        for inner in one.get("anyOf", ()):
            yield from _rows(inner, f"{above}{key}.")


def _type(part: dict[str, Any]) -> str:
    if "anyOf" in part:
        return " or ".join(map(_type, part["anyOf"]))
    if "$ref" in part:
        return {"real": "number"}.get(part["$ref"].rsplit("/", 1)[-1], "object")
    given = part.get("type", "text")
    kinds = given if isinstance(given, list) else [given]
    return " or ".join("list" if kind == "array" else kind for kind in kinds)


def _auto(directive: str, name: str) -> str:
    return f"```{{eval-rst}}\n.. {directive}:: {name}\n```"


def _display(formula: str) -> str:
    return f"```{{math}}\n{formula}\n```"


def _inline(formula: str) -> str:
    return f"{{math}}`{formula}`"


def _formula(key: Any) -> str:
    return "" if key.definition is None else _inline(_cell(key.definition.latex))


def _cell(text: str) -> str:
    return text.replace("|", r"\|")


def _mathml(display: str) -> Any:
    """A Sphinx visitor that writes a formula as MathML: no script, no font from elsewhere."""

    def visit(translator: Any, node: Any) -> None:
        from docutils.nodes import SkipNode
        from latex2mathml.converter import convert

        # The converter leaves a bare < as it is, which is not XML, and knows split, not aligned.
        source = node.astext().replace("<", r"\lt ").replace("{aligned}", "{split}")
        formula = convert(source, display=display)
        tag = "div" if display == "block" else "span"
        translator.body.append(f'<{tag} class="math">{formula}</{tag}>')
        raise SkipNode

    return visit


def _place_topics(app: Sphinx, docname: str, source: list[str]) -> None:
    """List the top-level pages that the index does not place itself, so that none is lost."""
    if docname != "index" or _TOPICS not in source[0]:
        return
    placed = {line.strip() for line in source[0].splitlines()}
    pages = sorted(name for name in app.env.found_docs if "/" not in name and name != "index")
    source[0] = source[0].replace(_TOPICS, "\n".join(one for one in pages if one not in placed))


#: "theory.md section 3", "[theory.md](theory.md), sections 3, 4 and 6": what may be linked.
_CITED = re.compile(
    r"(theory(?:\.md)?(?:`|\]\(theory\.md\))?,?\s+sections?\s+)(\d+b?(?:(?:,\s+|\s+and\s+)\d+b?)*)"
)


@cache
def _anchors() -> dict[str, str]:
    """The anchor of each section of theory.md."""
    from mdit_py_plugins.anchors.index import slugify

    headings = re.findall(r"^## ((\d+b?)\. .*)$", (HERE / "theory.md").read_text("utf-8"), re.M)
    return {number: slugify(heading.replace("$", "")) for heading, number in headings}


def linked(text: str, form: str) -> str:
    """The text with each section of theory.md that it cites as a link.

    ``form`` has the fields ``number`` and ``anchor``.
    """

    def link(found: re.Match[str]) -> str:
        number = found[0]
        anchor = _anchors().get(number)
        return form.format(number=number, anchor=anchor) if anchor else number

    return _CITED.sub(lambda cited: cited[1] + re.sub(r"\d+b?", link, cited[2]), text)


def _link_sections(app: Sphinx, docname: str, source: list[str]) -> None:  # noqa: ARG001
    folder = "../" * docname.count("/")
    if docname == "theory":
        source[0] = re.sub(
            r"(?<=[^\w])section (\d+b?)",
            lambda found: f"[section {found[1]}](#{_anchors()[found[1]]})",
            source[0],
        )
    source[0] = linked(source[0], f"[{{number}}]({folder}theory.md#{{anchor}})")


def _link_docstrings(_app: Sphinx, *about: Any) -> None:
    lines: list[str] = about[-1]
    lines[:] = [linked(one, "`{number} <theory.html#{anchor}>`__") for one in lines]


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the renderer of equations, the list of topics and the links into theory.md."""
    app.add_html_math_renderer(
        "mathml",
        inline_renderers=(_mathml("inline"), None),
        block_renderers=(_mathml("block"), None),
    )
    app.connect("source-read", _place_topics)
    app.connect("source-read", _link_sections)
    app.connect("autodoc-process-docstring", _link_docstrings)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
