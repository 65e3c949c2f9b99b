"""What can be said of a draft by its text, without running it."""
