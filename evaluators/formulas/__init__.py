"""Formulas of spreadsheets: computing them, and finding stored results that are false."""
