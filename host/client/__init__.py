"""Talking to one guest: tools over MCP, everything else over its harness door."""
