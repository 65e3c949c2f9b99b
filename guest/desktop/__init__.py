"""What runs as the desktop user: the screen, the session, and the verbs of the harness worker."""
