"""Metrics on workbooks and CSV files; `compare_table` above all."""
