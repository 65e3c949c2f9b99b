"""How well requests in users' words find the tools that they are about."""
