"""What a task has in an account of the user's, outside of its machine: a repository on GitHub, made
for the trial and deleted after it, and the tools of GitHub's own MCP server. Keys stay on the host;
a verifier gets one after the agent's processes were stopped."""
