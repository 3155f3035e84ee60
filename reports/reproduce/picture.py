"""What a reproduction makes: a picture, its caption and the data behind it."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

#: Endings of the files of a picture.
ENDINGS = (".svg", ".png", ".json")


@dataclass(frozen=True)
class Picture:
    """A picture of the paper, remade.

    Attributes
    ----------
    name : str
        As on the command line; names the files.
    caption : str
        What is seen, and at which settings.
    settings : dict
        Every number that the picture depends on.
    rows : list of dict
        Theory and simulation in one tidy table, told apart by ``source``.
    draw : callable
        Draws into a path that ends in .svg or .png.
    """

    name: str
    caption: str
    settings: dict[str, Any]
    rows: list[dict[str, Any]]
    draw: Callable[[Path], None]

    def document(self) -> dict[str, Any]:
        """Everything but the drawing, for JSON."""
        return {
            "name": self.name,
            "caption": self.caption,
            "settings": self.settings,
            "rows": self.rows,
        }

    def write(self, folder: Path) -> tuple[Path, ...]:
        """Write NAME.svg, NAME.png and NAME.json into a folder, which is made if need be."""
        folder.mkdir(parents=True, exist_ok=True)
        written = [folder / f"{self.name}{ending}" for ending in ENDINGS]
        for path in written[:2]:
            self.draw(path)
        temporary = written[2].with_name(f".{written[2].name}.part")
        text = json.dumps(_finite(self.document()), indent=1, allow_nan=False, ensure_ascii=False)
        temporary.write_text(text + "\n", encoding="utf-8")
        os.replace(temporary, written[2])
        return tuple(written)


def _finite(value: Any) -> Any:
    """The value with NaN, for which JSON has no number, as null."""
    if isinstance(value, Mapping):
        return {key: _finite(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(item) for item in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
