"""MCPMark's tasks: loaded from their original folders and judged by their own verifiers."""
