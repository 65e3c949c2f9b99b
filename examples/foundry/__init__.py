"""The tool foundry without a key: tasks, and a stand-in for the model that makes tools of them."""
