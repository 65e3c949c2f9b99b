"""Metrics on pictures."""
