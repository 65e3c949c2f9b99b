"""OSWorld's tasks in a guest: runs their setup steps and getters."""
