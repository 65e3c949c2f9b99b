"""Metrics on presentations."""
