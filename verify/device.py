"""Where training runs, and in which arithmetic."""

from __future__ import annotations

from typing import TYPE_CHECKING

from model.errors import BadInput, unknown_name

if TYPE_CHECKING:
    import torch

DEVICES: tuple[str, ...] = ("auto", "cpu", "cuda")


def resolve_device(name: str) -> torch.device:
    """The torch device of that name; TF32 is turned off so that float32 means float32.

    Parameters
    ----------
    name : {"auto", "cpu", "cuda"}
        ``auto`` takes a CUDA device where there is one.

    Raises
    ------
    BadInput
        For an unknown name, or ``cuda`` where there is none.
    """
    import torch

    if name not in DEVICES:
        raise unknown_name("--device", name, DEVICES)
    available = torch.cuda.is_available()
    if name == "cuda" and not available:
        raise BadInput("--device", name, "needs a CUDA device and none is visible", "use cpu")
    torch.set_float32_matmul_precision("highest")
    if name == "cpu" or not available:
        return torch.device("cpu")
    return torch.device("cuda", torch.cuda.current_device())
