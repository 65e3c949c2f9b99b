"""One trial, from the revert of its machine to its verdict."""
