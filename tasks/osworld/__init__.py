"""OSWorld's tasks: read from their own files, and judged from collected evidence."""
