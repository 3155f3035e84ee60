"""One problem simulated: heads trained, measured, compared with the theory at their teachers."""
