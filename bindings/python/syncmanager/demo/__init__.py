"""A chat in the terminal: ``python -m syncmanager.demo``, with the extra ``demo`` installed."""
