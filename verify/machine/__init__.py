"""Where a run takes place: device, arithmetic, threads, packages, and what is wrong with them."""
