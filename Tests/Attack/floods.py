"""Floods a client from a hostile server, one mode after the other, and measures its memory and its answers meanwhile.

Each mode has a process of its own. Checked: resident memory grows by less than --megabytes; a local call (the action
`statistics`) is answered within --latency ms in 95 of 100 cases; calls to the service end in the documented time (a
fetch after three request timeouts, an action after one); sm_close() returns within 5 s."""

import json
import pathlib
import sys
import tempfile
import threading
import time

import common
import sm
from floods_server import Hostile

MODES = [
    "calm", "stream_events", "stream_new_keys", "stream_one_line", "stream_many_lines", "stream_comments",
    "stream_nothing",
    "socket_messages", "socket_one_frame", "socket_fragments", "socket_pings", "socket_garbage", "socket_no_handshake",
    "socket_header_flood", "http_endless", "http_length", "http_headers", "http_one_header", "http_continue",
    "http_slow",
    "http_slow_headers", "http_silent", "http_redirect", "http_deep", "http_gzip"]


#: MB that these modes may take instead of --megabytes: they fill the room that the header's LIMITS grant to one answer
#: or one listened value (64 MiB) or to all answers (128 MiB), and this host's own copies come on top; or one message of
#: the socket (16 MiB) in a buffer that doubles.
GRANTED = {"stream_one_line": 256, "stream_many_lines": 256, "http_endless": 256, "http_length": 256,
           "http_gzip": 256, "stream_new_keys": 384, "socket_fragments": 80}
#: ms of a local call behind a value of 64 MiB, which this host reads first.
LATENCY = {"stream_new_keys": 1000}


class Watch(threading.Thread):
    """The largest resident memory of this process; ends the process when it is far too much."""

    def __init__(self, limit):
        super().__init__(daemon=True)
        self.first, self.most, self.limit = common.memory(), 0, limit
        self.start()

    def run(self):
        while True:
            self.most = max(self.most, common.memory())
            if self.most - self.first > self.limit:
                print(json.dumps({"grown_mb": (self.most - self.first) >> 20, "stopped": True}), flush=True)
                common.os._exit(0)
            time.sleep(0.02)


def asks(client, seconds, drains):
    """Local calls for some seconds: their times in ms."""
    times, end = [], time.monotonic() + seconds
    while time.monotonic() < end:
        begun = time.monotonic()
        number = client.call("statistics")
        if drains:
            result = client.wait(number, 20)
        else:
            time.sleep(0.2)
            result = True
        times.append((time.monotonic() - begun) * 1000)
        if result is None:
            break
        time.sleep(0.02)
    return sorted(times)


def guest(port, seconds, limit, drains):
    """In a process of its own: connects to the hostile server, listens, fetches, and measures."""
    watch = Watch(limit << 20)
    with tempfile.TemporaryDirectory(prefix="attack-floods-") as folder:
        host = f"127.0.0.1:{port}"
        client = sm.Client(app_id="x", user_id="a", data_dir=folder, access_token="t", api_host=f"http://{host}",
                           ws_host=f"ws://{host}", database={"url": f"http://{host}"}, request_timeout_ms=2000)
        client.connect()
        client.call("database_listen", path="place")
        collection = client.messages("c1")
        client.until(lambda: False, 0.3)
        begun = time.monotonic()
        fetch = collection.fetch(sm.PREVIOUS)
        action = client.call("list_users")
        times = asks(client, seconds, drains)
        late = [name for name, number, most in (("fetch", fetch, 6), ("action", action, 2))
                if not client.wait(number, max(0.1, begun + most + 2 - time.monotonic()))] if drains else []
        closing = time.monotonic()
        client.close()
        closing = time.monotonic() - closing
    print(json.dumps({
        "grown_mb": (watch.most - watch.first) >> 20, "asked": len(times), "events": client.events,
        "median_ms": round(times[len(times) // 2], 1), "p95_ms": round(times[int(len(times) * 0.95)], 1),
        "worst_ms": round(times[-1], 1), "late": late, "close_s": round(closing, 2)}), flush=True)


def judge(run, mode, facts, arguments):
    if facts.get("stopped") or facts["grown_mb"] > GRANTED.get(mode, arguments.megabytes):
        run.found(f"{mode}: memory grew by {facts['grown_mb']} MB")
    if facts.get("p95_ms", 0) > LATENCY.get(mode, arguments.latency) and arguments.drains:
        run.found(f"{mode}: a local call took {facts['p95_ms']} ms in 5 of 100 cases")
    if facts.get("late"):
        run.found(f"{mode}: did not end in the documented time: {facts['late']}")
    if facts.get("close_s", 0) > 5:
        run.found(f"{mode}: sm_close() took {facts['close_s']} s")


def main():
    parser = common.options(__doc__.splitlines()[0], each=(15, "seconds of a mode"), megabytes=(64, "allowed growth"),
                            latency=(250, "ms that a local call may take"), modes=("", "these alone, by commas"),
                            limit=(600, "MB of growth at which a process is ended"), port=(0, "of a guest"),
                            drains=(1, "0: the host does not drain meanwhile"))
    arguments = parser.parse_args()
    if arguments.port:
        guest(arguments.port, arguments.each, arguments.limit, arguments.drains)
        return
    run = common.Run("floods", arguments)
    for mode in arguments.modes.split(",") if arguments.modes else MODES:
        hostile = Hostile(mode)
        status, output, errors = common.child(
            [pathlib.Path(__file__).name, "--port", hostile.port, "--each", arguments.each, "--limit", arguments.limit,
             "--drains", arguments.drains], arguments.each + 60)
        sent, requests = hostile.sent, hostile.requests
        hostile.stop()
        if status != 0:
            run.found(f"{mode}: " + ("hang" if status is None else f"exit status {status}"), errors=errors[-600:])
            continue
        facts = json.loads(output.splitlines()[-1])
        print(f"{mode}: {sent >> 20} MB sent, {requests} requests, {json.dumps(facts)}", flush=True)
        judge(run, mode, facts, arguments)
        run.count("modes")
        run.count("sent_mb", sent >> 20)
    sys.exit(run.end())


main()
