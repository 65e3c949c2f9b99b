"""Metrics on the desktop and on the settings of its programs."""
