"""The tests; they mirror catalog/ and commands/."""
