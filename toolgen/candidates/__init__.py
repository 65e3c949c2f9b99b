"""Sources of candidates other than tasks and wishes."""
