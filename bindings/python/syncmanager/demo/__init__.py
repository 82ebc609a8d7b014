"""A chat in the terminal: ``python -m syncmanager.demo``, with Textual installed."""
