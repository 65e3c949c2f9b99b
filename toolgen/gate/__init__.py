"""Checks of a draft's text, which do not run it."""
