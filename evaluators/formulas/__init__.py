"""Workbooks: reading cells, computing formulas, and finding stored results that are false."""
