"""Asking models: their prompts, their answers, and the limits of both."""
