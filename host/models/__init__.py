"""Model access: requests, prices, prompts, the scaled view of the screen, and tool exposure."""
