"""Building images: from recipes, with the layer of guest code."""
