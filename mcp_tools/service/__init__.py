"""Requests to services with an HTTP API, made from a record of how a tool is executed."""
