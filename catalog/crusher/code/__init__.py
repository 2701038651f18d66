"""Code with the bodies left out that nobody looks at: outlines by language, what is focal, and the edits."""
