"""OSWorld's tasks in a guest: their setup steps carried out, their getters asked."""
