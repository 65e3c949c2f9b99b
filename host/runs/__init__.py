"""Execution of runs, proofs and experiments on the machines of a provider."""
