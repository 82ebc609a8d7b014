"""Each integer of the server's file at the edges of its type: it starts or says why not, and no request ends it."""

from __future__ import annotations

import json
import pathlib
import re
import shutil
import sqlite3
import subprocess
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from database import Database
from edges import edges, updates
from running import Server, program
from test_files import multipart, post
from test_fuzz import routes
from wire import DEADLINE, Rest, Socket

OPTIONS = ("--database-port", "0", "--control", "--exit-with-stdin", "--port", "0")
TOKENS = {"ann": "token-ann", "bob": "token-bob"}
#: The server has no operation of that path and method.
NO_SUCH_API = 400930


def fill(server: Server) -> dict[str, Any]:
    """Something in every table; gives what the requests of the readers name."""
    admin = server.admin
    for user, token in TOKENS.items():
        admin.post("/v3/users", {"user_id": user, "nickname": user, "access_token": token})
    for user in ("cho", "dan"):
        server.user(user)
    admin.post("/v3/bots", {"bot_userid": "robo", "bot_nickname": "Robo"})
    made = admin.post("/v3/group_channels", {"channel_url": "main", "user_ids": ["ann", "bob", "cho", "dan"],
                                             "operator_ids": ["ann"], "is_distinct": False})
    path = "/v3/group_channels/" + made["channel_url"]
    lasting = admin.post("/v3/group_channels", {"channel_url": "short", "user_ids": ["ann", "bob"],
                                                "message_survival_seconds": 3600})
    now = server.control("advance_clock", ms=0)["ts"]
    sent = [admin.post(path + "/messages", {"message_type": "MESG", "user_id": "bob", "message": f"m{number}"})
            for number in range(30)]
    root = sent[0]["message_id"]
    for user in TOKENS:
        admin.post(path + "/messages", {"message_type": "MESG", "user_id": user, "message": "reply",
                                        "parent_message_id": root, "dedup_id": "d" + user})
    admin.post(f"/v3/group_channels/{lasting['channel_url']}/messages",
               {"message_type": "MESG", "user_id": "ann", "message": "short"})
    admin.post(f"{path}/messages/{root}/reactions", {"user_id": "ann", "reaction": "heart"})
    admin.put(f"{path}/messages/{sent[1]['message_id']}", {"message_type": "MESG", "message": "edited"})
    admin.delete(f"{path}/messages/{sent[2]['message_id']}")
    admin.put(path + "/messages/mark_as_read", {"user_id": "ann"})
    admin.post(path + "/mute", {"user_id": "cho", "seconds": 3600})
    admin.post(path + "/ban", {"user_id": "dan", "seconds": 3600})
    admin.post(path + "/metadata", {"metadata": {"k": "v"}})
    admin.post(path + "/metacounter", {"metacounter": {"n": 3}})
    admin.post("/v3/users/cho/muted_channel_custom_types", {"channel_custom_types": ["tea"], "seconds": 60})
    admin.post("/v3/users/ann/block", {"target_id": "cho"})
    admin.post("/v3/users/ann/friends", {"user_ids": ["bob"]})
    admin.post("/v3/users/ann/push/gcm", {"gcm_reg_token": "t"})
    admin.post("/v3/announcements", {"unique_id": "a", "message": {"type": "ADMM", "content": "a"},
                                     "target_at": "target_channels", "target_list": ["main"],
                                     "scheduled_at": now + 3_600_000})
    ann = logged_in(server.port, server.ready, "ann")
    ann.post(path + "/scheduled_messages", {"message": "later", "scheduled_at": now + 3_600_000})
    ann.post(f"/v3/report/group_channels/main/messages/{root}", {"report_category": "spam"})
    poll = ann.post("/v3/polls", {"title": "p", "options": ["a", "b"], "close_at": now // 1000 + 3600})
    ann.post(path + "/messages", {"message": "poll", "poll_id": poll["id"]})
    ann.put(f"/v3/polls/{poll['id']}/vote", {"option_ids": [poll["options"][0]["id"]], "channel_url": "main",
                                             "channel_type": "group_channels"})
    assert post(admin, "/v3/storage/file", multipart([("file", "x", "", b"data")])).status == 200
    Database(server).put("rooms", {"a": {"count": 5, ".priority": 7}, "b": [1, 2]})
    server.control("settings", message_purge_offset={"x": now - 1})
    # Channels are answered below /v3/sdk, too, by the same code.
    asked = [path for path in routes(None, "ann", "main", root) if not path.startswith("/v3/sdk/group_channels/")]
    return {"root": root, "time": sent[15]["created_at"], "asked": [path for path in asked if is_read(admin, path)]}


def is_read(admin: Rest, path: str) -> bool:
    """Whether a GET of that path reads anything: most paths take other methods only, and are refused at once."""
    answer = admin.call("GET", path)
    return not (answer.status == 404 and answer.json["code"] == NO_SUCH_API)


def logged_in(port: int, ready: dict[str, Any], name: str) -> Rest:
    key = Rest(port, {"App-Id": ready["app_id"], "Access-Token": TOKENS[name]}).post(
        f"/v3/users/{name}/session_key", {"expiring_session": False})["key"]
    return Rest(port, {"Session-Key": key})


def integers(path: pathlib.Path) -> list[tuple[str, str]]:
    """Every column that is declared to hold integers, of every table there is."""
    with sqlite3.connect(path) as database:
        tables = [row[0] for row in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        found = [(table, row[1]) for table in tables for row in database.execute(f"PRAGMA table_info({table})")
                 if row[2] == "INTEGER"]
    database.close()
    return found


def use(port: int, ready: dict[str, Any], known: dict[str, Any]) -> None:
    """All lists, and the acts that count with what is there. What is answered is of no interest."""
    admin = Rest(port, {"Api-Token": ready["api_token"]})
    channel = "/v3/group_channels/main"
    app = ready["app_id"]
    keys = []
    for name in TOKENS:
        answer = Rest(port, {"App-Id": app, "Access-Token": TOKENS[name]}).call(
            "POST", f"/v3/users/{name}/session_key", {"expiring_session": False})
        if answer.status == 200:
            keys.append(Rest(port, {"Session-Key": answer.json["key"]}))
    sockets = []
    try:
        sockets.append(Socket(port, f"/?p=t&sv=1&ai={app}&user_id=ann",
                              {"SENDBIRD-WS-TOKEN": TOKENS["ann"]}, greeting=""))
    except ConnectionError:
        pass  # refused, as a user who is not active is
    asks: list[tuple[str, str, Any]] = [
        ("GET", f"{channel}/messages?message_ts={known['time']}&prev_limit=20&next_limit=20&include=true"
                "&include_reply_type=all&include_thread_info=true&include_poll_details=true", None),
        ("GET", f"{channel}/messages?message_ts={2**62}&prev_limit=200&next_limit=0&including_removed=true", None),
        ("GET", f"{channel}/messages?message_id={known['root']}&prev_limit=5&next_limit=5", None),
        ("GET", f"{channel}/messages/changelogs?change_ts=1", None),
        ("GET", f"{channel}/messages_gap?prev_start_ts=1&prev_end_ts={known['time']}&prev_cache_count=3"
                f"&next_start_ts={known['time']}&next_end_ts={2**62}&next_cache_count=3", None),
        ("GET", "/v3/users/ann/my_group_channels?show_member=true&show_empty=true&limit=100", None),
        ("GET", "/v3/users/ann/my_group_channels/changelogs?change_ts=1&show_member=true", None),
        ("GET", "/v3/polls/changelogs?change_ts=1&channel_url=main&channel_type=group_channels", None),
        ("GET", "/v3/search/messages?query=m&limit=10&channel_url=main", None),
        ("GET", "/v3/applications/dau?date=2026-11-20", None), ("GET", "/v3/applications/mau?date=2026-11-20", None),
        ("POST", channel + "/messages", {"message": "new"}),
        ("POST", channel + "/messages", {"message": "reply", "parent_message_id": known["root"]}),
        ("PUT", channel + "/messages/mark_as_unread", {"message_id": known["root"]}),
        ("PUT", channel + "/messages/mark_as_read", {}), ("PUT", channel + "/messages/mark_as_delivered", {}),
        ("PUT", channel + "/metacounter", {"metacounter": {"n": 5}, "mode": "increase"}),
        ("PUT", channel + "/metacounter", {"metacounter": {"n": 5}, "mode": "decrease"}),
        ("PUT", channel + "/hide", {"hide_previous_messages": True}), ("DELETE", channel + "/hide", None),
        ("PUT", channel + "/reset_user_history", {}), ("POST", channel + "/mute", {"user_id": "bob", "seconds": 60}),
        ("POST", channel + "/invite", {"user_ids": ["bob", "robo"]}), ("PUT", channel + "/leave", {}),
        ("POST", "/v3/polls", {"title": "p", "options": ["a"]}),
        ("POST", channel + "/scheduled_messages", {"message": "later", "scheduled_at": known["time"] + 10**9}),
        ("POST", "/v3/group_channels", {"user_ids": ["ann", "bob"], "is_distinct": True}),
    ]
    for number, rest in enumerate([*keys, admin]):
        # To the other user the lists say the same.
        for path in known["asked"] if number != 1 else []:
            rest.call("GET", path)
        for method, path, body in asks:
            rest.call(method, path, body)
        rest.close()
    for connected in sockets:
        connected.send("MESG", channel_url="main", message="by socket", req_id="1")
        connected.send("READ", channel_url="main", req_id="2")
        connected.close()
    database = Rest(int(ready["database_url"].rsplit(":", 1)[1]), {})
    for path in ("", "rooms", "rooms/a/count"):
        database.call("GET", f"/{path}.json?ns=test&auth=owner")
    # What is due happens: scheduled messages, ends of mutes and of polls, messages that do not last.
    Rest(port, {}).call("POST", "/control/advance_clock", {"ms": 7_200_000})
    assert admin.call("GET", "/v3/users?limit=1").status < 500
    admin.close()


def judged(path: pathlib.Path, known: dict[str, Any], sql: str) -> str:
    """What went wrong; empty when nothing did."""
    process = subprocess.Popen(
        [program(), *OPTIONS, "--db", str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        stderr=subprocess.PIPE)
    assert process.stdin and process.stdout and process.stderr
    wrong = ""
    line = process.stdout.readline()
    if line:
        ready = json.loads(line)
        try:
            use(int(ready["api_host"].rsplit(":", 1)[1]), ready, known)
        except Exception as error:  # whatever it was, the server's end is told below
            wrong = repr(error)
        process.stdin.close()
    try:
        code = process.wait(DEADLINE)
    except subprocess.TimeoutExpired:
        process.kill()
        return f"{sql}: it does not end"
    said = process.stderr.read()
    for stream in (process.stdin, process.stdout, process.stderr):
        stream.close()
    # Without having been ready it says why.
    if code < 0 or (line and code != 0) or (not line and not said):
        places = re.findall(rb"Sources/(\S+\.swift:\d+)", said)
        return f"{sql}: ended with {code}: {wrong} {places[:3] or said[-300:]}"
    return f"{sql}: {wrong}" if wrong else ""


def replaced(text: str | None, name: str, edge: str) -> str | None:
    return text and re.sub(rf'("{name}":)-?\d+(?=[,}}\]])', rf"\g<1>{edge}", text)


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[pathlib.Path, dict[str, Any]]]:
    path = tmp_path_factory.mktemp("damaged") / "server.db"
    server = Server("--database-port", "0", "--db", str(path))
    known = fill(server)
    assert server.stop() == 0
    yield path, known


def judge_all(path: pathlib.Path, known: dict[str, Any], damages: list[tuple[str, ...]]) -> None:
    """Each damage, an SQL statement with its values, alone in a copy of the file."""

    def judge(number: int) -> str:
        sql, *values = damages[number]
        copy = path.with_name(f"{number}.db")
        shutil.copy(path, copy)
        damaged = sqlite3.connect(copy)
        damaged.create_function("replace_number", 3, replaced)
        changed = damaged.execute(sql, values).rowcount
        damaged.commit()
        damaged.close()
        wrong = judged(copy, known, f"{sql} {values}") if changed > 0 else ""
        for end in ("", "-wal", "-shm"):
            pathlib.Path(str(copy) + end).unlink(missing_ok=True)
        return wrong

    with ThreadPoolExecutor(2) as pool:
        wrong = list(filter(None, pool.map(judge, range(len(damages)))))
    assert not wrong, "\n".join(wrong)


def test_every_integer_at_the_edges_of_its_type(filled: tuple[pathlib.Path, dict[str, Any]]) -> None:
    path, known = filled
    columns = integers(path)
    assert len(columns) > 50, columns
    judge_all(path, known, [(sql,) for number, column in enumerate(columns) for sql in updates(*column, number)])


def test_every_number_in_a_text_at_the_edges_of_an_integer(filled: tuple[pathlib.Path, dict[str, Any]]) -> None:
    """Those of the JSON that is kept, by the names of their members, in all rows."""
    path, known = filled
    number = re.compile(r'"(\w+)":-?\d+(?=[,}\]])')
    damages = []
    with sqlite3.connect(path) as database:
        for (table,) in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall():
            for column in [row[1] for row in database.execute(f"PRAGMA table_info({table})") if row[2] == "TEXT"]:
                texts = {row[0] for row in database.execute(f"SELECT {column} FROM {table}") if row[0]}
                names = sorted({name for text in texts for name in number.findall(text)})
                for place, name in enumerate(names):
                    for edge in edges(place):
                        sql = f"UPDATE {table} SET {column} = replace_number({column}, ?, ?)"
                        damages.append((sql, name, str(edge)))
    database.close()
    assert len({damage[1] for damage in damages}) > 20, damages
    judge_all(path, known, damages)
