"""OSWorld's tasks: loaded from their original files and judged from collected evidence."""
