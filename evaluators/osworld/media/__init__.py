"""Metrics on sound and film files."""
