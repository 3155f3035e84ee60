"""Where a curve's name has room: off every line, with a leader to the curve that crosses none."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

#: Width of a letter and height of a line of text, in pixels of the figure's own 100 an inch.
_LETTER = (7.0, 16.0)
#: Pixels: between a label's end point and other lines, a label and any line, a leader and others.
_APART, _OFF, _CLEAR = 12.0, 6.0, 5.0
#: Length that a leader which crosses another line counts for besides its own.
_CROSSED = 300.0


@dataclass(frozen=True)
class Box:
    """The rectangle of a text, in pixels."""

    centre: np.ndarray
    half: np.ndarray

    @classmethod
    def about(cls, centre: np.ndarray, text: str) -> Box:
        """That of a text about a point."""
        return cls(np.asarray(centre), np.array([_LETTER[0] * len(text) / 2 + 4, _LETTER[1] / 2]))

    def gap(self, points: np.ndarray) -> float:
        """Distance of the nearest of some points; 0 for one inside."""
        outside = np.maximum(np.abs(points - self.centre) - self.half, 0.0)
        return float(np.hypot(*outside.T).min())

    def overlaps(self, other: Box) -> bool:
        """Whether the two have a point in common."""
        return bool(np.all(np.abs(self.centre - other.centre) < self.half + other.half))


def free_place(
    frame: Any, text: str, line: np.ndarray, others: np.ndarray, taken: list[Box]
) -> tuple[Box, np.ndarray]:
    """A rectangle near a line but off every line, and the point of the line that it belongs to.

    Preferred is the shortest leader; one that crosses another line counts as much longer.

    Parameters
    ----------
    frame : matplotlib Bbox
        What the text must stay inside of.
    text : str
    line, others : ndarray (number, 2)
        Points along the line that is named, and along all others.
    taken : list of Box
    """
    apart = np.array([np.hypot(*(others - point).T).min() for point in line])
    anchors = line[apart > _APART] if np.any(apart > _APART) else line
    best, chosen = (
        np.inf,
        (Box.about(anchors[len(anchors) // 2], text), anchors[len(anchors) // 2]),
    )
    for x in np.arange(frame.x0 + 10, frame.x1 - 10, 12):
        for y in np.arange(frame.y0 + 10, frame.y1 - 10, 12):
            box = Box.about(np.array([x, y]), text)
            low, high = box.centre - box.half, box.centre + box.half
            inside = low[0] > frame.x0 and high[0] < frame.x1 and high[1] < frame.y1
            if not inside or any(box.overlaps(other) for other in taken):
                continue
            length, room = box.gap(anchors), box.gap(others)
            score = length - 0.2 * min(room, 40.0)
            if box.gap(line) < _OFF or room < _OFF or score > best:
                continue
            end = anchors[int(np.argmin(np.hypot(*(anchors - box.centre).T)))]
            leader = end + np.linspace(0.05, 1, 40)[:, None] * (box.centre - end)
            crossing = min(float(np.hypot(*(others - at).T).min()) for at in leader) < _CLEAR
            crossing = crossing or any(other.gap(leader) < _CLEAR for other in taken)
            score += _CROSSED if crossing else 0.0
            if score < best:
                best, chosen = score, (box, end)
    return chosen
