"""Forks while the library loads what it needs for a connection."""

from __future__ import annotations

import json
import os
import subprocess
import sys

from harness import ROOT, Server

PROGRAM = """
import ctypes, json, os, sys
from syncmanager.blocking import SyncManager

failed = 0
with SyncManager(**json.loads(sys.argv[1])) as client:
    client.start.connect()
    # One after the other as fast as that goes: together they cover the time in which libcurl is loaded.
    for _ in range(40):
        child = os.fork()
        if child == 0:
            try:
                ctypes.CDLL("libmicrohttpd.so.12")
                os._exit(0)
            finally:
                os._exit(1)
        failed += os.waitpid(child, 0)[1] != 0
sys.exit(failed)
"""


def test_a_child_forked_while_the_network_starts_has_a_whole_dynamic_loader(tmp_path):
    with Server() as server:
        mei = server.create_user("mei")
        environment = {**os.environ, "PYTHONPATH": str(ROOT / "bindings/python")}
        for attempt in range(20):
            config = json.dumps(server.config(mei, tmp_path / str(attempt)))
            program = subprocess.run(
                [sys.executable, "-c", PROGRAM, config], capture_output=True, text=True, timeout=60, env=environment)
            assert program.returncode == 0, program.stderr
