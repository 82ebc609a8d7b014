"""The database over real HTTP: what crosses the network, what outlives the process, what tests make go wrong.

Rules, queries, values and the order of events are tested within the process (Tests/SyncServerTests/Database*.swift).
"""

from __future__ import annotations

import http.client
import json
import os
import signal
import socket
import subprocess
import time
import urllib.request
from typing import Any, Callable, Iterator

import pytest

from running import Server, program
from database import EVENT_STREAM, Database, Listener
from wire import DEADLINE, Rest, quote


@pytest.fixture
def server() -> Iterator[Server]:
    running = Server("--database-port", "0", "--keep-alive", "1")
    yield running
    assert running.stop() == 0


@pytest.fixture
def database(server: Server) -> Database:
    return Database(server)


def test_it_is_off_unless_asked_for(start: Any) -> None:
    server = start()
    assert "database_url" not in server.ready
    server.admin.refused(400404, "GET", "/a.json?ns=test")


def test_the_two_services_do_not_mix(server: Server, database: Database) -> None:
    assert int(server.ready["api_host"].rsplit(":", 1)[1]) != database.port
    for path in ("v3/users", "control/state", "files/x"):
        database.put(path, {"is": "data"})
        assert database.get(path) == {"is": "data"}
    assert Rest(database.port, {}).call("GET", "/control/state").status == 404
    assert Rest(database.port, {"Api-Token": server.ready["api_token"]}).call("GET", "/v3/users").status == 404
    upgrade = Rest(database.port, {"Upgrade": "websocket", "Connection": "Upgrade", "Sec-WebSocket-Version": "13",
                                   "Sec-WebSocket-Key": "AAAAAAAAAAAAAAAAAAAAAA=="})
    assert upgrade.call("GET", "/.ws?v=5&ns=test").status == 404


def test_methods(database: Database) -> None:
    assert database.put("a", {"b": 1, "c": [True, None, "x"]}) == {"b": 1, "c": [True, None, "x"]}
    assert database.get("") == {"a": {"b": 1, "c": [True, None, "x"]}}
    assert database.get("a/", "shallow=true") == {"b": True, "c": True}
    first = database.ok("POST", "a/list", {"n": 1})["name"]
    second = database.ok("POST", "a/list", {"n": 2})["name"]
    assert len(first) == 20 and first < second
    assert database.ok("PATCH", "a", {"b": None, "list/" + first: 5}) == {"b": None, "list/" + first: 5}
    assert database.get("a/list") == {first: 5, second: {"n": 2}}
    assert database.ok("DELETE", "a/list") is None
    assert database.ok("POST", "a", {"d": 1}, X_HTTP_Method_Override="PUT") == {"d": 1}
    assert database.ok("POST", "a", {"e": 2}, query="x-http-method-override=PATCH") == {"e": 2}
    assert database.get("a") == {"d": 1, "e": 2}
    head = database.call("HEAD", "a")
    assert head.status == 200 and head.body == b""


def test_shapes_of_answers(database: Database) -> None:
    database.put("a", {"b": [1], "s": 'say "{}"', "e": {}})
    pretty = database.call("GET", "a", query="print=pretty").body.decode()
    assert json.loads(pretty) == {"b": [1], "s": 'say "{}"'} and '\n  "b" : [' in pretty
    silent = database.call("PUT", "a/b", b"2", query="print=silent")
    assert (silent.status, silent.body) == (204, b"")
    script = database.call("GET", "a/b", query="callback=box.take")
    assert script.body == b"/**/box.take(2);" and script.headers["Content-Type"].startswith("application/javascript")
    assert database.call("GET", "a", query="download=a.json").headers["Content-Disposition"] == (
        'attachment; filename="a.json"')
    preflight = database.call("OPTIONS", "a", Origin="http://x", Access_Control_Request_Method="PATCH")
    assert preflight.status == 200 and "PATCH" in preflight.headers["Access-Control-Allow-Methods"]
    tag = database.call("GET", "a", X_Firebase_ETag="true").headers["ETag"]
    unchanged = database.call("GET", "a", if_none_match=tag)
    assert (unchanged.status, unchanged.body) == (304, b"")


def test_instances_are_apart_and_named_by_query_or_host(server: Server, database: Database) -> None:
    database.put("a", 1)
    assert Database(server, "other").get("a") is None
    by_host = Rest(database.port, {"Authorization": "Bearer owner"})
    connection = http.client.HTTPConnection("127.0.0.1", database.port, timeout=10)
    for host, expected in (("test.example:80", 1), ("other.example", None), ("127.0.0.1", None), ("localhost", None)):
        connection.putrequest("GET", "/a.json", skip_host=True)
        connection.putheader("Host", host)
        connection.endheaders()
        assert json.loads(connection.getresponse().read()) == expected, host
    assert by_host.call("PUT", "/a.json", b"7").status == 200
    assert Database(server, "default").get("a") == 7


def test_users_of_the_chat_are_users_of_the_database(server: Server, database: Database) -> None:
    ann = server.user("ann")
    key = ann.rest.headers["Session-Key"]
    database.rules({"$uid": {".read": "auth.token.name == 'Ann'", ".write": "$uid === auth.uid"}})
    mine = Database(server, token=key)
    mine.put("ann", {"x": 1})
    assert mine.call("PUT", "bob", b"1").json == {"error": "Permission denied"}
    assert Database(server, token=None).call("GET", "ann").status == 401
    bearer = Rest(database.port, {"Authorization": f"Bearer {key}"})
    assert bearer.ok("GET", "/ann.json?ns=test") == {"x": 1}
    for token in ("nonsense", key + "0"):
        assert Database(server, token=token).call("GET", "ann").json == {"error": "Could not parse auth token."}
    admin = Database(server, token=server.ready["api_token"])
    assert admin.get("") == {"ann": {"x": 1}}


def test_trees_and_rules_outlive_the_process(start: Any, tmp_path: Any) -> None:
    options = ("--database-port", "0", "--db", str(tmp_path / "all.db"))
    server = start(*options)
    database = Database(server)
    database.put("a", {"b": {".value": 1, ".priority": "p"}, "\u00e9": "\u0000", "big": 9007199254740993})
    database.put("gone", {"x": {"y": 1}})
    database.ok("DELETE", "gone/x/y")
    database.rules({"a": {".read": True}})
    server.process.kill()
    server.process.wait()
    again = Database(start(*options))
    assert again.get("", "format=export") == {
        "a": {"b": {".value": 1, ".priority": "p"}, "\u00e9": "\u0000", "big": 9007199254740993}}
    assert Rest(again.port, {}).call("GET", "/gone.json?ns=test").status == 401


def test_keys_that_join_what_stands_beside_them(start: Any, tmp_path: Any) -> None:
    """An accent joins the slash before it to one letter, a sign of number in Arabic the slash or dot behind it."""
    options = ("--database-port", "0", "--db", str(tmp_path / "all.db"))
    server = start(*options)
    database = Database(server)
    accent, number = "\u0301x", "\u0600"
    tree = {number: {".value": 1, ".priority": 2}, accent: {"a": {accent: 1, number: 2}}}
    listener = database.listen("")
    listener.put()
    database.ok("PATCH", "", tree)
    assert listener.next() == ("patch", {"path": "/", "data": {number: 1, accent: tree[accent]}})
    database.ok("PATCH", "", {f"{accent}/b": {accent: 2}})
    assert listener.next() == ("patch", {"path": "/", "data": {f"{accent}/b": {accent: 2}}})
    listener.close()
    assert database.get(quote(number)) == 1
    database.rules({".read": True, accent: {".indexOn": [accent]}})
    guest = Database(server, token=None)
    ordered = "orderBy=" + quote(json.dumps(accent))
    assert guest.get(quote(accent), ordered) == {"a": tree[accent]["a"], "b": {accent: 2}}
    # An index by another accent is not the one that is asked for.
    database.rules({".read": True, accent: {".indexOn": ["\u0302x"]}})
    assert guest.call("GET", quote(accent), query=ordered).status == 400
    server.process.kill()
    server.process.wait()
    again = Database(start(*options))
    assert again.get("", "format=export") == {**tree, accent: {**tree[accent], "b": {accent: 2}}}


def test_a_stream_over_the_network(database: Database) -> None:
    listener = database.listen("a")
    assert listener.response.getheader("Transfer-Encoding") == "chunked"
    assert listener.put() == ("/", None)
    database.put("a/b", {"c": "\u00e9\n"})
    assert listener.put() == ("/b", {"c": "\u00e9\n"})
    database.ok("PATCH", "a", {"b/c": None, "d": 1})
    assert listener.next() == ("patch", {"path": "/", "data": {"b/c": None, "d": 1}})
    while listener.next(keeps_alive=True) != ("keep-alive", None):
        pass
    listener.close()


def test_a_stream_that_is_refused(database: Database) -> None:
    database.rules({})
    guest = Listener(database.port, "/a.json?ns=test")
    assert (guest.response.status, json.loads(guest.response.read())) == (401, {"error": "Permission denied"})
    unindexed = database.listen("a", 'orderBy="h"'.replace('"', "%22"))
    assert unindexed.response.status == 400
    assert database.call("GET", "a", query="shallow=true", Accept="text/event-stream").status == 400


def test_large_values_reach_listeners_whole(database: Database) -> None:
    text = "\u00e4" * (4 << 20)
    listener = database.listen("a")
    assert listener.put() == ("/", None)
    database.put("a", text)
    assert listener.put() == ("/", text)
    second = database.listen("a")
    assert second.put() == ("/", text)
    assert database.call("PUT", "a", json.dumps("x" * ((10 << 20) + 1)).encode()).status == 400
    with socket.create_connection(("127.0.0.1", database.port), 10) as raw:
        raw.sendall(f"PUT {database.target('a')} HTTP/1.1\r\nHost: x\r\nContent-Length: {33 << 20}\r\n\r\n".encode())
        answer = raw.recv(4096)
        assert b" 413 " in answer.split(b"\r\n")[0] and b'{"error":"Data to write exceeds' in answer
    listener.close()
    second.close()


def test_a_listener_that_does_not_read_is_dropped_and_others_hear_on(server: Server, database: Database) -> None:
    stuck = socket.create_connection(("127.0.0.1", database.port), 10)
    stuck.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    stuck.sendall(f"GET {database.target('a')} HTTP/1.1\r\nHost: x\r\nAccept: text/event-stream\r\n\r\n".encode())
    assert stuck.recv(1) == b"H"
    listener = database.listen("a")
    assert listener.put() == ("/", None)
    for number in range(9):
        value = str(number) * (3 << 20)
        database.put("a", value)
        assert listener.put() == ("/", value)
    await_state(server, "the stuck one is dropped", lambda: stream_paths(server) == ["/a"])
    listener.close()
    stuck.close()


def await_state(server: Server, what: str, holds: Callable[[], bool]) -> None:
    """Until something holds of the server, which is asked for its state between two looks."""
    watch = Rest(server.port, {})
    end = time.monotonic() + DEADLINE
    while not holds():
        assert time.monotonic() < end, (what, watch.get("/control/state"))
        watch.get("/control/state")
    watch.close()


def stream_paths(server: Server) -> list[str]:
    return [stream["path"] for stream in server.control_get("state")["streams"]]


def test_clients_that_go_away_are_forgotten(server: Server, database: Database) -> None:
    listeners = [database.listen(f"p{number}") for number in range(3)]
    for listener in listeners:
        listener.put()
    assert stream_paths(server) == ["/p0", "/p1", "/p2"]
    listeners[1].close()
    await_state(server, "the closed stream is gone", lambda: stream_paths(server) == ["/p0", "/p2"])
    database.put("p2", 1)
    assert listeners[2].put() == ("/", 1)


def test_closed_streams_free_their_descriptors_at_once(start: Any) -> None:
    # No sign of life is due within the test: nothing but the closing itself can tell the server.
    server = start("--database-port", "0", "--keep-alive", "60")
    descriptors = f"/proc/{server.process.pid}/fd"
    before = len(os.listdir(descriptors))
    database = Database(server)
    database.put("large", "x" * (1 << 20))
    database.rest.close()

    def open_stream(number: int) -> socket.socket:
        # Every tenth never reads: most of what it listens to waits in the server when it goes.
        opened = socket.socket()
        path = "a" if number % 10 else "large"
        if path == "large":
            opened.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        opened.connect(("127.0.0.1", database.port))
        head = f"GET {database.target(path)} HTTP/1.1\r\nHost: x\r\nAccept: text/event-stream\r\n\r\n"
        opened.sendall(head.encode())
        return opened

    opened = [open_stream(number) for number in range(200)]
    await_state(server, "all have begun", lambda: len(stream_paths(server)) == 200)
    assert len(os.listdir(descriptors)) >= before + 200
    for one in opened:
        one.close()
    await_state(server, "all have ended", lambda: stream_paths(server) == [])
    # One more than before: of the look at the state.
    await_state(server, "descriptors", lambda: len(os.listdir(descriptors)) == before + 1)


def test_two_hundred_listeners_hear_every_write_in_order(database: Database) -> None:
    listeners = [database.listen("a") for _ in range(200)]
    for number in range(20):
        database.put("a", number)
    for listener in listeners:
        assert [listener.put()[1] for _ in range(21)] == [None, *range(20)]


def test_streams_break_and_go_silent_as_tests_want_it(server: Server, database: Database) -> None:
    first, second = database.listen("a"), database.listen("b")
    assert first.put() == second.put() == ("/", None)
    assert server.admin.post("/control/drop_streams", {"path": "a"}) == {"dropped": 1}
    assert first.wait_end() == "IncompleteRead"
    server.control("silence_streams")
    database.put("b", 1)
    server.control("silence_streams", on=False)
    database.put("b", 2)
    assert second.put() == ("/", 2)
    database.rules({})
    guest_rules = {".read": "auth == null"}
    database.rules(guest_rules)
    guest = Listener(database.port, "/c.json?ns=test")
    assert guest.put() == ("/", None)
    database.rules({})
    assert guest.next() == ("cancel", None)
    assert guest.wait_end() == "complete"


def test_faults_of_the_control_endpoint(server: Server, database: Database) -> None:
    server.control("fault", path_contains="/a.json", kind="5xx", status=503)
    answer = database.call("PUT", "a", b"1")
    assert (answer.status, answer.json) == (503, {"error": "Internal error."})
    server.control("fault", path_contains="/a.json", kind="refuse", status=401, message="Auth token is expired")
    assert database.call("GET", "a").json == {"error": "Auth token is expired"}
    server.control("fault", path_contains="/a.json", kind="close", executes=True)
    with pytest.raises((http.client.RemoteDisconnected, ConnectionError)):
        database.call("PUT", "a", b"2")
    assert database.get("a") == 2
    server.control("fault", path_contains="/a.json", kind="half_body")
    with pytest.raises(http.client.IncompleteRead):
        database.call("GET", "a", **EVENT_STREAM)
    server.control("fault", path_contains="/a.json", kind="garbage")
    with pytest.raises(ValueError):
        database.call("GET", "a").json
    server.control("delay", path_prefix="/a.json", ms=500)
    begun = time.monotonic()
    listener = database.listen("a")
    assert listener.put() == ("/", 2) and time.monotonic() - begun >= 0.5
    server.control("clear_faults")
    listener.close()
    assert any(entry["target"].startswith("/a.json") for entry in server.control_get("received")["received"])


def test_redirects_lead_to_the_same_place(server: Server, start: Any, database: Database) -> None:
    elsewhere = Database(start("--database-port", "0"))
    elsewhere.put("a", "there")
    database.put("a", "here")
    server.control("fault", path_contains="/a.json", kind="redirect", location=f"http://127.0.0.1:{elsewhere.port}")
    answer = database.call("PUT", "a", b"1")
    assert answer.status == 307
    assert answer.headers["Location"] == f"http://127.0.0.1:{elsewhere.port}" + database.target("a")
    assert database.get("a") == "here"
    # A client that follows redirects hears the events of the other server.
    server.control("fault", path_contains="/a.json", kind="redirect", location=f"http://127.0.0.1:{elsewhere.port}")
    request = urllib.request.Request(f"http://127.0.0.1:{database.port}{database.target('a')}", headers=EVENT_STREAM)
    with urllib.request.urlopen(request, timeout=10) as response:
        assert response.readline() == b"event: put\n"
        assert response.readline() == b'data: {"path":"/","data":"there"}\n'
    # Without a location it is sent to where it came from, and is let in the second time.
    server.control("fault", path_contains="/a.json", kind="redirect")
    with urllib.request.urlopen(f"http://127.0.0.1:{database.port}{database.target('a')}", timeout=10) as response:
        assert json.load(response) == "here"


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_signals_end_it_with_open_streams(start: Any, number: int) -> None:
    server = start("--database-port", "0")
    database = Database(server)
    listeners = [database.listen("a") for _ in range(3)]
    for listener in listeners:
        listener.put()
    server.control("delay", ms=60_000, path_prefix="/b")
    held = http.client.HTTPConnection("127.0.0.1", database.port, timeout=10)
    held.request("GET", database.target("b"))
    server.control_get("state")
    server.process.send_signal(number)
    assert server.process.wait(10) == 0
    for listener in listeners:
        listener.wait_end()


def test_the_clock_is_the_servers(server: Server, database: Database) -> None:
    stamp = {".sv": "timestamp"}
    before = database.put("t", stamp)
    assert abs(before - time.time() * 1000) < 60_000
    now = server.control("advance_clock", ms=3_600_000)["ts"]
    assert now <= database.put("t", stamp) < now + 60_000


def test_a_port_in_use_is_an_error(database: Database) -> None:
    ended = subprocess.run(
        [program(), "--port", "0", "--database-port", str(database.port)], capture_output=True, text=True, timeout=10)
    assert ended.returncode == 1 and "cannot listen" in ended.stderr and not ended.stdout
    for wrong in (["--database-port", "x"], ["--keep-alive", "0"], ["--keep-alive", "61"]):
        assert subprocess.run([program(), *wrong], capture_output=True, timeout=10).returncode == 2


def test_strict_refuses_what_nothing_reads(start: Any) -> None:
    database = Database(start("--database-port", "0", "--strict"))
    assert database.put("a", 1) == 1
    refused = database.call("PUT", "a", b"2", query="prnt=silent")
    assert (refused.status, refused.json) == (400, {"error": 'Invalid value of "prnt": nothing here reads it'})
    assert database.get("a", "print=pretty&timeout=3s&writeSizeLimit=tiny") == 1
