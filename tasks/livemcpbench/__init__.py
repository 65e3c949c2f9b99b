"""LiveMCPBench's tasks: their files as they are, with the key points of their annotators."""
