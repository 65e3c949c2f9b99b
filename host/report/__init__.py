"""From rows to numbers, tables, plots and pages."""
