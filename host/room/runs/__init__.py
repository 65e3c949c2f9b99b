"""The runs on the wall: their trials and progress, and their processes."""
