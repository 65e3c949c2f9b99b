"""Questions about the desktop: most are for the adapter of OSWorld, which asks them by name."""
