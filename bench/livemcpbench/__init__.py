"""LiveMCPBench's judges, measured against people and against agents that only claim."""
