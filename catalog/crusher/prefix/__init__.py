"""The stable prefix of a conversation: where it ends, what would break it, and where a cache wants it marked.

Keeping the prefix stable was the idea of Headroom's cache aligner (Apache-2.0); form and code are our own.
"""
