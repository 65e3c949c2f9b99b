"""The files of a run: configuration, result rows, trajectories, frames, orders."""
