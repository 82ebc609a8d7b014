"""The end of a program, forks, and clients that were forgotten: in processes of their own."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from syncmanager.blocking import SyncManager
from syncmanager.testing import Server

OPEN = (
    "import sys, os, asyncio, threading; from syncmanager import SyncManager as Async, errors\n"
    "from syncmanager.blocking import SyncManager\n"
    "config = {'app_id': 'A', 'user_id': 'mei', 'data_dir': sys.argv[1]}\n"
)


def run(program: Any, tmp_path: Path, *options: Any) -> Any:
    done = subprocess.run(
        [sys.executable, *options, "-c", OPEN + program, str(tmp_path)], capture_output=True, text=True, timeout=120
    )
    return done.returncode, done.stdout, done.stderr


FORGETTING = {
    "at exit": "sm = SyncManager(**config); sm.messages('c').start.send('x')\n",
    "in a cycle": "sm = SyncManager(**config); sm.self = sm; del sm\n",
    "with a thread that drains": (
        "sm = SyncManager(**config); threading.Thread(target=sm.run, daemon=True).start()\n"
        "sm.messages('c').start.send('x')\n"
    ),
    "with threads that wait": (
        "sm = SyncManager(**config); chat = sm.messages('c')\n"
        "def wait():\n"
        "    try: chat.send('x')\n"
        "    except errors.ClosedError: pass\n"
        "for _ in range(3): threading.Thread(target=wait, daemon=True).start()\n"
    ),
    "in a loop": (
        "async def main():\n"
        "    global sm\n"
        "    sm = await Async(**config).open()\n"
        "    await sm.channels().fetch()\n"
        "asyncio.run(main())\n"
    ),
    "in a loop that still exists": (
        "loop = asyncio.new_event_loop()\nsm = loop.run_until_complete(Async(**config).open())\n"
    ),
    "with an exception": "sm = SyncManager(**config); raise SystemExit(0)\n",
}


@pytest.mark.parametrize("how", FORGETTING)
def test_a_forgotten_client_ends_with_its_program(tmp_path: Path, how: Any) -> None:
    status, _, err = run(FORGETTING[how], tmp_path)
    assert (status, err) == (0, "")
    status, _, err = run(FORGETTING[how], tmp_path, "-W", "always::ResourceWarning")
    assert status == 0
    assert err.count("a SyncManager was not closed") == 1
    assert "Traceback" not in err
    SyncManager(app_id="A", user_id="mei", data_dir=str(tmp_path)).close()


def test_a_fork_does_not_hold_the_data_directory(tmp_path: Path) -> None:
    """The owner is killed while its fork goes on: another process may open the directory."""
    program = (
        "sm = SyncManager(**config)\n"
        "ready, begun = os.pipe()\n"
        "if os.fork():\n"
        "    os.read(ready, 1)\n"  # the fork runs, and has closed what it inherited
        "    os.kill(os.getpid(), 9)\n"
        "os.write(begun, b'x'); sys.stdin.read(); os._exit(0)\n"
    )
    with subprocess.Popen([sys.executable, "-c", OPEN + program, str(tmp_path)], stdin=subprocess.PIPE) as owner:
        assert owner.wait(60) == -9
        SyncManager(app_id="A", user_id="mei", data_dir=tmp_path).close()


def test_many_programs_end_while_events_come(syncmanager_server: Server, tmp_path: Path) -> None:
    """The library's threads are busy while the interpreter ends; none of them may call into it."""
    syncmanager_server.create_user("bo")
    mei = syncmanager_server.create_user("mei")
    syncmanager_server.create_channel("c", "mei", "bo")
    program = (
        "import json, logging; from syncmanager import log_to\n"
        "logging.basicConfig(filename=os.devnull); logging.getLogger().setLevel(logging.DEBUG)\n"
        "log_to(logging.getLogger('library'))\n"
        f"sm = SyncManager(**{dict(syncmanager_server.config(mei, tmp_path))!r})\n"
        "sm.start.connect(); sm.messages('c').fetch()\n"
        "threading.Thread(target=sm.run, daemon=True).start()\n"
    )
    for _ in range(10):
        syncmanager_server.post_many("c", "bo", 50)
        assert run(program, tmp_path) == (0, "", "")


FORK = """
sm = SyncManager(**config)
chat = sm.messages('c')
call = chat.start.send('x')
child = os.fork()
if child == 0:
    refused = []
    uses = [sm.start.connect, lambda: sm.next_event(0), sm.pause_sync, chat.snapshot, call.result, sm.channels,
            lambda: next(chat.changes()), sm.close, chat.remove, lambda: SyncManager(**config)]
    for use in uses:
        try:
            use()
            refused.append('accepted')
        except errors.ForkedError as error:
            refused.append(error.name)
    print(set(refused), len(refused), flush=True)
    {end}
assert os.waitpid(child, 0)[1] == 0
assert len(sm.messages('c').pending) == 0
while not chat.pending:
    sm.next_event()
print(chat.pending[0]['message'])
sm.close()
"""


@pytest.mark.parametrize("end", ["os._exit(0)", "sys.exit(0)", "del sm, chat, call; sys.exit(0)"])
def test_a_fork_is_told_and_leaves_the_parent_alone(tmp_path: Path, end: Any) -> None:
    status, out, err = run(FORK.replace("{end}", end), tmp_path, "-W", "ignore::DeprecationWarning")
    assert (status, out, err) == (0, "{'SM_ERR_FORKED'} 10\nx\n", "")


def test_a_fork_inside_a_loop_leaves_the_loop_of_the_parent_alone(tmp_path: Path) -> None:
    program = """
async def main():
    async with Async(**config) as sm:
        chat = sm.messages('c')
        child = os.fork()
        if child == 0:
            for use in (sm.connect, chat.fetch, sm.channels, chat.changes, chat.remove, lambda: sm.close().send(None)):
                try:
                    use()
                    os._exit(1)
                except errors.ForkedError:
                    pass
            os._exit(0)
        assert os.waitpid(child, 0)[1] == 0
        assert (await asyncio.wait_for(chat.fetch(), 30)).short == 'offline'
asyncio.run(main())
"""
    assert run(program, tmp_path, "-W", "ignore::DeprecationWarning") == (0, "", "")


def test_a_fork_while_another_thread_drains(tmp_path: Path) -> None:
    program = """
sm = SyncManager(**config)
threading.Thread(target=sm.run, daemon=True).start()
chat = sm.messages('c')
for number in range(30):
    call = chat.start.send(str(number))
    child = os.fork()
    if child == 0:
        for use in (call.result, lambda: sm.next_event(0), sm.close):
            try:
                use()
                os._exit(1)
            except errors.SyncManagerError as error:
                if error.name not in ('SM_ERR_FORKED', 'SM_ERR_BUSY'): os._exit(2)
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0
sm.close()
"""
    assert run(program, tmp_path, "-W", "ignore::DeprecationWarning") == (0, "", "")


def test_multiprocessing_children_open_clients_of_their_own(tmp_path: Path) -> None:
    program = """
import multiprocessing
def child(folder):
    with SyncManager(app_id='A', user_id='mei', data_dir=folder) as sm:
        sm.channels().fetch()
if __name__ == '__main__':
    process = multiprocessing.get_context('spawn').Process(target=child, args=(sys.argv[1],))
    process.start(); process.join(); sys.exit(process.exitcode)
"""
    path = tmp_path / "program.py"
    path.write_text(OPEN + program)
    done = subprocess.run([sys.executable, path, tmp_path / "data"], capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stderr) == (0, "")


def test_the_log_goes_to_a_logger(tmp_path: Path) -> None:
    program = """
import logging, io
from syncmanager import log_to
told = io.StringIO()
logger = logging.getLogger('library'); logger.propagate = False
logger.addHandler(logging.StreamHandler(told)); logger.setLevel(logging.DEBUG)
log_to(logger)
def fail():
    with SyncManager(**config, access_token='T', api_host='http://127.0.0.1:1', ws_host='ws://127.0.0.1:1') as sm:
        try: sm.connect()
        except errors.NetworkError: pass
fail()
first = len(told.getvalue())
assert first, 'nothing was told'
log_to(None)
fail()
assert len(told.getvalue()) == first
"""
    assert run(program, tmp_path) == (0, "", "")
