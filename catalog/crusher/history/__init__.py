"""History: what of a conversation can go, when it pays, and how it comes back."""
