"""Builds images from recipes, and layers from the guest's code."""
