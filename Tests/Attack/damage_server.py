"""Damages the file of syncmanager-server, one value or piece at a time, and starts the server on it.

Checked: it starts, or ends with status 1 and a reason; while it runs every request is answered, and it ends with
status 0 when its standard input closes. A signal, a hang or a closed connection is a finding; answers of 5xx are
counted."""

import http.client
import json
import random
import shutil
import subprocess
import sys
import tempfile
import threading

import common
import damage_ways
import server

REQUESTS = [
    ("GET", "/v3/users/a/my_group_channels?limit=100&show_member=true&show_empty=true&show_read_receipt=true"
            "&show_delivery_receipt=true&show_metadata=true", None),
    ("GET", "/v3/group_channels/c0?show_member=true&show_read_receipt=true", None),
    ("GET", "/v3/group_channels/c0/messages?message_ts=9999999999999&prev_limit=200&next_limit=10&include=true"
            "&include_reply_type=all&with_sorted_meta_array=true"
            "&include_reactions=true&include_thread_info=true", None),
    ("GET", "/v3/group_channels/c0/messages?message_id=1&prev_limit=5&next_limit=5&include=true", None),
    ("GET", "/v3/group_channels/c0/messages/changelogs?change_ts=0", None),
    ("GET", "/v3/group_channels/c0/messages_gap?prev_start_ts=0&prev_end_ts=99&prev_cache_count=0&next_start_ts=100"
            "&next_end_ts=9999999999999&next_cache_count=0", None),
    ("GET", "/v3/users/a/my_group_channels/changelogs?change_ts=0", None),
    ("GET", "/v3/users/a/unread_message_count", None), ("GET", "/v3/users?limit=100", None),
    ("GET", "/v3/group_channels/c0/members", None), ("GET", "/v3/group_channels/c0/ban", None),
    ("GET", "/v3/group_channels/c0/mute", None), ("GET", "/v3/group_channels/c0/metadata", None),
    ("GET", "/v3/group_channels/c0/metacounter", None), ("GET", "/v3/users/a/block", None), ("GET", "/v3/bots", None),
    ("GET", "/v3/users/a/push_preference", None), ("GET", "/v3/polls?limit=10", None),
    ("GET", "/v3/scheduled_messages?limit=10", None), ("GET", "/v3/announcements", None), ("GET", "/v3/report", None),
    ("POST", "/v3/group_channels/c0/messages", {"message_type": "MESG", "user_id": "b", "message": "after"}),
    ("PUT", "/v3/group_channels/c0/messages/1", {"message_type": "MESG", "message": "edited"}),
    ("DELETE", "/v3/group_channels/c0/messages/2", None),
    ("POST", "/v3/group_channels/c0/messages/3/reactions", {"user_id": "a", "reaction": "x"}),
    ("PUT", "/v3/group_channels/c0/messages/mark_as_read", {"user_id": "a"}),
    ("POST", "/v3/users/a/token", {}), ("POST", "/control/advance_clock", {"ms": 100000000}),
    ("POST", "/v3/group_channels", {"channel_url": "new", "user_ids": ["a", "b"]}), ("GET", "/control/state", None),
]
DATA = [("GET", "/.json?auth=owner", None), ("GET", "/d.json?auth=owner&orderBy=%22$key%22&limitToLast=3", None),
        ("PUT", "/d/x.json?auth=owner", {"y": 1}), ("GET", "/.settings/rules.json?auth=owner", None),
        ("DELETE", "/d/k1.json?auth=owner", None)]


def build(run):
    """A file with something in as many tables as a few requests fill."""
    path = run.folder / "clean" / "chat.db"
    path.parent.mkdir()
    host = server.Server(file=path, users=["a", "b"])
    host.channel("c0", ["a", "b"], operator_ids=["a"])
    host.control("post_messages", channel_url="c0", user_id="b", count=50)
    for method, words, body in [
            ("POST", "group_channels/c0/messages", {"message_type": "MESG", "user_id": "b", "message": "r",
                                                    "parent_message_id": 1}),
            ("POST", "group_channels/c0/messages/3/reactions", {"user_id": "a", "reaction": "y"}),
            ("PUT", "group_channels/c0/messages/4", {"message_type": "MESG", "message": "edited"}),
            ("DELETE", "group_channels/c0/messages/5", None),
            ("POST", "group_channels/c0/metadata", {"metadata": {"k": "v"}}),
            ("POST", "group_channels/c0/metacounter", {"metacounter": {"n": 3}}),
            ("POST", "group_channels/c0/mute", {"user_id": "b", "seconds": 1000}),
            ("POST", "group_channels/c0/ban", {"user_id": "z", "seconds": 1000}),
            ("POST", "users/a/block", {"target_id": "b"}), ("POST", "users/a/metadata", {"metadata": {"k": "v"}}),
            ("POST", "users/a/token", {}), ("POST", "users/a/push/gcm", {"gcm_reg_token": "t"}),
            ("POST", "polls", {"title": "p", "options": [{"text": "o"}]}),
            ("POST", "bots", {"bot_userid": "bot", "bot_nickname": "b", "bot_callback_url": "http://x",
                              "is_privacy_mode": False}),
            ("POST", "report/users/b", {"reporting_user_id": "a", "report_category": "spam"}),
            ("PUT", "users/a/my_group_channels/c0", {})]:
        host.ask(method, "/v3/" + words, body)
    for number in range(10):
        host.data(f"d/k{number}", "PUT", {"n": number})
    host.data(".settings/rules", "PUT", {"rules": {".read": True, ".write": True}})
    token = host.token
    host.stop()
    return path, token


def ask(run, port, token, request, words):
    method, path, body = request
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=15)
    try:
        connection.request(method, path, json.dumps(body) if body is not None else None,
                           {"Api-Token": token, "Content-Type": "application/json"})
        answer = connection.getresponse()
        answer.read()
        run.count("answers")
        run.count("answers_5xx", answer.status >= 500)
        return True
    except (OSError, http.client.HTTPException) as error:
        run.found(f"{method} {path.split('?')[0]} is not answered: {type(error).__name__} {error}", damage=words)
        return False
    finally:
        connection.close()


def visit(run, path, token, words):
    command = [server.program(), "--port", "0", "--database-port", "0", "--control", "--exit-with-stdin",
               "--db", str(path),
               "--api-token", token, "--user", "a:token-a"]
    errors = tempfile.TemporaryFile()
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors)
    hung = []
    timer = threading.Timer(20, lambda: (hung.append(1), process.kill()))
    timer.start()
    line = process.stdout.readline()
    timer.cancel()
    if line:
        ready = json.loads(line)
        port = int(ready["api_host"].rsplit(":", 1)[1])
        place = int(ready["database_url"].rsplit(":", 1)[1])
        fine = all(ask(run, port, token, each, words) for each in REQUESTS)
        fine and all(ask(run, place, token, each, words) for each in DATA)
        run.count("started")
    process.stdin.close()
    try:
        status = process.wait(15)
    except subprocess.TimeoutExpired:
        process.kill()
        status = process.wait()
        hung.append(1)
    process.stdout.close()
    errors.seek(0)
    text = errors.read().decode(errors="replace")
    if hung:
        run.found("the server hangs", damage=words, errors=text[-300:])
    elif status != (0 if line else 1) or (status == 1 and not text.strip()):
        run.found(f"the server ended with {status}", damage=words, started=bool(line), errors=text[-500:])


def main():
    parser = common.options(__doc__.splitlines()[0], each=(100, "cases of one table"),
                            bytes=(100, "cases of the file's bytes"),
                            only=(-1, "this case alone"), table=("", "this table alone"))
    run = common.Run("damage_server", parser.parse_args())
    path, token = build(run)
    number = 0
    work = [(way, table, columns) for table, columns in damage_ways.tables(path).items()
            for way in [damage_ways.SQL[each % len(damage_ways.SQL)] for each in range(run.arguments.each)]]
    work += [(damage_ways.BYTES[each % len(damage_ways.BYTES)], None, [None]) for each in range(run.arguments.bytes)]
    for number, (way, table, columns) in enumerate(work):
        if run.arguments.only not in (-1, number) or (run.arguments.table and table != run.arguments.table):
            continue
        folder = run.folder / "case"
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(path.parent, folder)
        choice = random.Random(f"{run.seed} {number}")
        words = f"{way(folder / 'chat.db', table, columns[number % len(columns)], choice)} [--only {number}]"
        visit(run, folder / "chat.db", token, words)
        run.count("cases")
        if len(run.findings) > 40:
            break
    run.count("tables", len(damage_ways.tables(path)))
    sys.exit(run.end())


main()
