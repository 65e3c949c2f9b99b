"""Where candidates come from, other than a task or a wish."""
