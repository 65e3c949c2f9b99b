"""Measurements and checks with the packages of other projects."""
