"""LiveMCPBench's tasks: their files as they are, with the key points of their annotators."""

EXECUTE, ROUTE = "execute-tool", "route"
"""The two tools of its agent: one executes a tool of a server, the other searches for tools."""
