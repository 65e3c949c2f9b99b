"""What a run writes and reads back: configuration, rows, trajectories, frames."""
