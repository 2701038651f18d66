"""The shipped catalog as reviewable files, in the format of `catalog export`; read with importlib.resources."""
