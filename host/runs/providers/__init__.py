"""Providers: each module's `PROVIDER` is one, under the module's name."""
