"""Code that runs as the desktop user: the screen, the session, the operations for the host."""
