"""A suite from its plan to its result: cases, allocation, workers, judgement, resumption."""
