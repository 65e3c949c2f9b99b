"""Machine checkpoints taken during an episode: stored by block, each restorable on its own."""
