"""A chat server for the tests of programs: ``syncmanager-server``, started, scripted, made to fail, stopped.

    def test_my_app(syncmanager_server, tmp_path):
        mei = syncmanager_server.create_user("mei")
        syncmanager_server.create_user("bo")
        syncmanager_server.create_channel("lunch", "mei", "bo", name="Lunch")
        with SyncManager(**syncmanager_server.config(mei, tmp_path)) as sm:
            ...

``World`` goes further: service, network and time are in this process, and a day of chat takes milliseconds.

The fixture comes with the package (``syncmanager.testing.plugin``, registered for pytest when the package is
installed); ``Server`` serves every other test framework. Since 0.1.
"""

from __future__ import annotations

from .server import Server, server_program
from .service import Account, Fault, ServerError, Service
from .world import Disturbance, Weather, World

__all__ = ["Account", "Disturbance", "Fault", "Server", "ServerError", "Service", "Weather", "World", "server_program"]
