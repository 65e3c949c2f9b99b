"""Asking one model:
the request, its price, its prompts, its view of the screen, the tools it is shown."""
