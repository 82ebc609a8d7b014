"""The package's version, which is the header's: the build reads it here, and a test compares it."""

__version__ = "0.1.0"
