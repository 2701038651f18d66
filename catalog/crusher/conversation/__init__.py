"""Conversations of two shapes, Chat Completions and Anthropic's Messages. Nothing here changes a message."""
