"""Numbers with error bars for the equations of attlas."""
