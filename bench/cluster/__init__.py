"""A run on a cluster of invented machines: what it costs the head."""
