"""Reads evidence and runs test suites, under accounts other than the desktop user's."""
