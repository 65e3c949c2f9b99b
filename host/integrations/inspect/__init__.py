"""Inspect AI: suites as its tasks, and runs as its logs."""
