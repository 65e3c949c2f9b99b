"""Metrics on the browser: its tabs, its profile, addresses."""
