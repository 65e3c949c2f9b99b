"""Benchmarks. `python -m bench` measures on real machines and prints a table."""
