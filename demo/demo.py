"""The demo: a C program and a Python program follow a live chat through the death of the server and of themselves."""

from __future__ import annotations

import json
import os
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "Tests/EndToEnd"))

from harness import Server, Watch, build_watch  # noqa: E402

BOLD, DIM, PLAIN = ("\033[1m", "\033[2m", "\033[0m") if sys.stdout.isatty() else ("", "", "")
checks: list[tuple[str, bool]] = []


def title(text: str) -> None:
    print(f"\n{BOLD}{text}{PLAIN}")


def server_does(text: str) -> None:
    print(f"   {DIM}server:{PLAIN} {text}")


def check(what: str, truth: bool) -> None:
    checks.append((what, bool(truth)))


def echo(who: str):
    return lambda line: print(f"   {who} | {line[:110]}")


class PythonHost(Watch):
    """The Python program as a process."""

    def __init__(self, config: dict, url: str) -> None:
        os.environ["PYTHONPATH"] = str(ROOT / "bindings/python")
        script = ROOT / "demo/host.py"
        self.arguments = [sys.executable, str(script), json.dumps(config), url]
        import queue
        import subprocess
        import threading

        self.process = subprocess.Popen(self.arguments, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.lines = queue.Queue()
        self.echo = echo("python")
        threading.Thread(target=self._read, daemon=True).start()


def ids(snapshot: dict) -> list[int]:
    return [message["message_id"] for message in snapshot["succeeded"]]


def main() -> int:
    with tempfile.TemporaryDirectory() as folder:
        return play(Path(folder))


def play(folder: Path) -> int:
    watch = build_watch(folder / "watch")
    title("0  The server starts with a generated account")
    server = Server("--generate", "7", db=folder / "server.db")
    with server:
        me, friend = server.user(0), server.user(1)
        server_does(f"{server.ready['api_host']}, {len(server.ready['users'])} users; we are {me['user_id']}")
        url = server.create_channel("lunch/today+tomorrow", me["user_id"], friend["user_id"], name="Lunch today")
        for text in ("Anyone hungry?", "I know a place 🍜", "那家面馆？"):
            server.post(url, friend["user_id"], text)
        config = server.config(me, folder / "c-host")

        title("1  A C program lists the channels and opens one")
        host = Watch(watch, config, url, echo("C     "))
        host.wait(f"synced {url}")
        channels = host.ask("channels")["channels"]
        for channel in channels[:8]:
            print(f"   C      |   {channel['name'][:40]:40} {channel['unread_message_count']:5} unread")
        shown = host.ask("snapshot")["succeeded"]
        check("the C program shows channels", len(channels) >= 2)
        check("the newest channel is on top", channels[0]["channel_url"] == url)
        check("the opened channel shows its messages", [m["message"] for m in shown][-1] == "那家面馆？")

        title("2  A second user posts, edits, deletes: the list changes in place")
        sent = server.post(url, friend["user_id"], "12:30?")
        server_does("posts 12:30?")
        host.wait("+ succeeded", "12:30?")
        server.edit(url, sent["message_id"], "12:45?")
        server_does("edits it")
        host.wait("~ succeeded", "12:45?")
        other = server.post(url, friend["user_id"], "wrong chat")
        host.wait("+ succeeded", "wrong chat")
        server.delete(url, other["message_id"])
        server_does("deletes another")
        host.wait("- succeeded")
        host.say("send I am in")
        host.wait("= send_message", "SM_OK")
        live = host.ask("snapshot")
        check(
            "post, edit and deletion changed the list in place",
            [m["message"] for m in live["succeeded"]][-2:] == ["12:45?", "I am in"],
        )
        check("it equals the server's list", ids(live) == [m["message_id"] for m in server.messages(url)])

        title("3  The server is killed; a new process shows the same from the cache")
        server.kill()
        server_does("killed")
        host.wait("= waiting")
        host.kill()
        host = Watch(watch, config, url, echo("C     "))
        host.wait("= fetch", "SM_OK")
        host.wait("= fetch", "SM_OK")
        cached, again = host.ask("snapshot"), host.ask("channels")["channels"]
        check("a new process shows the same messages, byte for byte", cached["succeeded"] == live["succeeded"])
        check("and the same channels", {c["channel_url"] for c in again} == {c["channel_url"] for c in channels})
        host.say("send written while the server is dead")
        host.wait("+ pending")

        title("4  Python does the same, from a cache of its own, and the server returns")
        server.restart()
        config2 = server.config(me, folder / "python-host")
        python = PythonHost(config2, url)
        shown = int(python.wait("= messages").rsplit(" ", 1)[1])
        # The C program may have sent its message already.
        check("Python shows the same messages", shown - len(ids(live)) in (0, 1))

        title("5  More is posted; exactly the missing changes arrive")
        texts = [f"while you were away {number}" for number in range(3)]
        for text in texts:
            server.post(url, friend["user_id"], text)
        server_does(f"posts {len(texts)} messages")
        for text in texts:
            python.wait("insert", text)
        host.wait("= send_message", "SM_OK")
        end = [m["message_id"] for m in server.messages(url)]
        while ids(host.ask("snapshot")) != end:
            host.next_line()
        after = host.ask("snapshot")
        check(
            "the message written offline was sent, once",
            [m["message"] for m in server.messages(url)].count("written while the server is dead") == 1,
        )
        check(
            "exactly the missing messages arrived",
            ids(after) == end and set(texts) <= {m["message"] for m in after["succeeded"]},
        )
        check("nothing is pending any more", after["pending"] == [] and after["failed"] == [])

        title("6  The server dies once more under the Python program")
        server.kill()
        server_does("killed")
        python.wait("= waiting")
        server.restart()
        server.post(url, friend["user_id"], "hello again")
        python.wait("insert", "hello again")
        check("the Python program follows through the server's death", True)
        lines = [line for line in (ROOT / "demo/host.py").read_text().splitlines() if line.strip()]
        check(f"the Python program has under 40 lines ({len(lines)})", len(lines) < 40)
        check("the C program ends cleanly", host.quit() == 0)
        python.kill()

    title("What was asserted")
    for what, truth in checks:
        print(f"   {'yes' if truth else 'NO '}  {what}")
    failed = sum(not truth for _, truth in checks)
    print(f"\n{len(checks) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
