"""Benchmark of tool retrieval: how well requests in users' words find the right tools."""
