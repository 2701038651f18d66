"""Where scores, models, offers and prices come from: files today."""
