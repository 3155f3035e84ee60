"""Results on disk: what identifies a run, its row, and stores made into one."""
