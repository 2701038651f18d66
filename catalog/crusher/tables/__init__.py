"""The text layout: rows under headers that a model can read."""
