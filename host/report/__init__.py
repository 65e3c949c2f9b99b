"""Reports: metrics computed from result rows, as tables, plots and HTML pages."""
