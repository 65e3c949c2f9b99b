"""The client of a guest: tools over MCP, everything else over the harness endpoint."""
