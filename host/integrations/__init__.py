"""Bridges to the protocols and formats of other projects. Only the command line imports this room.

The types and checks of a format are those of its own package, which an extra installs
(`host.integrations.extras`).
"""
