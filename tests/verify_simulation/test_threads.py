"""Small trainings use one thread, and leave the settings as they found them."""

from __future__ import annotations

import pytest
import torch

from attlas.verify.machine.threads import WORTH_THREADS, training_threads


@pytest.mark.parametrize(("operations", "within"), [(WORTH_THREADS / 2, 1), (WORTH_THREADS, 2)])
def test_threads_are_for_large_products(operations, within):
    before = torch.get_num_threads()
    torch.set_num_threads(2)
    try:
        with training_threads(operations):
            assert torch.get_num_threads() == within
        assert torch.get_num_threads() == 2
        with pytest.raises(ZeroDivisionError), training_threads(0):
            _ = 1 / 0
        assert torch.get_num_threads() == 2
    finally:
        torch.set_num_threads(before)
