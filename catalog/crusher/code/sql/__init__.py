"""SQL of eight dialects: tokens with their places, statements, and what of them can be left out."""
