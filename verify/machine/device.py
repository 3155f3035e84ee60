"""Where training runs, and in which arithmetic."""

from __future__ import annotations

from typing import TYPE_CHECKING

from attlas.model.errors import BadInput, required, unknown_name

if TYPE_CHECKING:
    import torch

DEVICES: tuple[str, ...] = ("auto", "cpu", "cuda")


def known_device(name: str) -> str:
    """The name itself, for a device that is resolved on another machine.

    Raises
    ------
    BadInput
        For an unknown name.
    """
    if name not in DEVICES:
        raise unknown_name("device", name, DEVICES)
    return name


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
    torch = required("torch")
    known_device(name)
    available = torch.cuda.is_available()
    if name == "cuda" and not available:
        raise BadInput("device", name, "needs a CUDA device and none is visible", "use cpu")
    torch.set_float32_matmul_precision("highest")
    torch.backends.cudnn.allow_tf32 = False
    if name == "cpu" or not available:
        return torch.device("cpu")
    return torch.device("cuda", torch.cuda.current_device())


def accelerator(name: str) -> dict[str, str]:
    """What a CUDA device is and whether its float32 is: ``{"accelerator": "H200, TF32 off"}``.

    Empty for other devices. Read after the runs, from torch itself.
    """
    if name != "cuda":
        return {}
    import torch

    if not torch.cuda.is_available():  # the runs were made elsewhere
        return {"accelerator": "of the executor's nodes"}
    tf32 = "on" if torch.backends.cuda.matmul.allow_tf32 else "off"
    return {"accelerator": f"{torch.cuda.get_device_name()}, TF32 {tf32}"}
