"""The commands that show whether numbers can be trusted: prove, null and passport."""
