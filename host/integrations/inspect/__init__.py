"""Inspect AI: export of runs as its logs."""
