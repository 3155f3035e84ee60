"""What a reproduction makes: a picture, its caption and the data behind it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from attlas.model.files import write_whole
from attlas.model.json_text import json_text

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
        written = [folder / f"{self.name}{ending}" for ending in ENDINGS]
        for path in written[:2]:
            self.draw(path)
        text = json_text(self.document(), indent=1)
        write_whole(written[2], text + "\n")
        return tuple(written)
