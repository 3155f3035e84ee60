"""Keys of ``derive``, ``explain``, ``doctor`` and ``reproduce``, whose results are texts."""

from __future__ import annotations

from attlas.model.result_key import ResultKey
from attlas.symbolic.result_keys.key import result_key


def _derive(key: str, meaning: str, domain: str = "text") -> ResultKey:
    return result_key(key, ("derive",), meaning, domain, "docs/derivations.md")


def _explain(key: str, meaning: str, domain: str = "text") -> ResultKey:
    return result_key(key, ("explain",), meaning, domain, "docs/notation.md")


def _both(key: str, meaning: str, domain: str = "text") -> ResultKey:
    return result_key(key, ("derive", "explain"), meaning, domain, "docs/derivations.md")


def _doctor(key: str, meaning: str, domain: str = "text") -> ResultKey:
    return result_key(key, ("doctor",), meaning, domain, "docs/howto/doctor.md")


def _reproduce(key: str, meaning: str, domain: str = "text") -> ResultKey:
    return result_key(key, ("reproduce",), meaning, domain, "docs/pictures.md")


KEYS = (
    _derive("schema", "version of the derivation's own form"),
    _derive("target", "what is derived, as attlas derive takes it"),
    _derive("title", "the result in a few words"),
    _derive("statement", "the result in words"),
    _both("source", "where it is written: page and section"),
    _both("equations", "the formulas, by name or one after another", "object or list"),
    _both("text", "in Unicode, one line"),
    _both("latex", "in LaTeX, without dollar signs"),
    _both("mathml", "in presentation MathML"),
    _derive("value", "the number at the given parameters; null where they do not fix it"),
    _derive("assumptions", "what the theory takes for granted", "list"),
    _derive("steps", "how it follows, with --steps", "list"),
    _derive("before", "what stood before the step", "text, or a formula in three forms"),
    _derive("rule", "what is done"),
    _derive("after", "what stands after it", "text, or a formula in three forms"),
    _derive("assumption", "whether the step is taken from the physics", "true or false"),
    _derive("passed", "whether the step's check held; null for an assumption", "true or false"),
    _derive("how", "how it was checked: exactly, or to how many digits"),
    _derive("symbols", "the symbols of the equations", "list"),
    _both("key", "name in the code, on the command line and in JSON"),
    _both("kind", "what sort of quantity it is"),
    _both("domain", "where it may lie"),
    _derive("typical", "a range inside the domain, from which checks draw", "[low, high]"),
    _both("meaning", "what it is"),
    _explain("notation", "the symbol's entry in the notation; null for a result key", "object"),
    _explain("definition", "a formula that is no equation of a derivation, as LaTeX; or null"),
    _explain("definition_text", "the same in Unicode; or null"),
    _explain("definition_mathml", "the same in presentation MathML; or null"),
    _explain("printed_by", "commands whose results hold the key with this meaning", "list"),
    _explain("appears_in", "derivations and commands that contain it", "list"),
    _explain("groups", "without a name: all names, in groups", "list"),
    _explain("group", "symbols of a kind, or the keys of a command"),
    _explain("names", "each with its meaning", "{name: text}"),
    _explain("also", "what else the name means, as a key of other commands", "list"),
    _doctor("findings", "one entry for each thing looked at", "list"),
    _doctor("area", "what it belongs to"),
    _doctor("name", "what was looked at"),
    _doctor("value", "what was found"),
    _doctor("health", "whether it needs repair"),
    _doctor("advice", "what to do about it; empty where nothing"),
    _reproduce("name", "the picture"),
    _reproduce("caption", "what it shows"),
    _reproduce("settings", "every number that the picture depends on", "{name: value}"),
    _reproduce("rows", "theory and trained heads in one table, told apart by source", "list"),
    _reproduce("files", "what was written", "list of paths"),
)
