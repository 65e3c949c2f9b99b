"""Time travel: revert to a step of a recorded episode, branch from it, and compare the outcomes."""
