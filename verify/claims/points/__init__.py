"""Points of claims whose experiments know them, too."""
