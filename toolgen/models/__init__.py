"""Asking models: prompts, parsing of answers, and limits on calls and cost."""
