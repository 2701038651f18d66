"""model-catalog: models with locked, absolute, explained ranks."""

__version__ = "0.1.0"
