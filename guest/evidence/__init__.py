"""What reads the evidence, in accounts that are not the desktop user's."""
