"""The built-in providers: each module of this package assigns `PROVIDER`."""
