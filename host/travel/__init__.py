"""Time travel: going back to a step of a recorded episode, and comparing what follows."""
