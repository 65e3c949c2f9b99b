"""Asking one model: requests, prices, prompts, its view of the screen, the tools it is shown."""
