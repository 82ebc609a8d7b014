"""Damages files, one at a time, and opens them: every table and column of cache.db and intents.db, then their bytes.

Checked after docs/durability.md: no crash, no hang, no INTERNAL; a damaged cache is set aside or read as it is, and
what is shown of it was never anything else; an own message is shown, or named as lost, or the file is refused;
nothing is sent that was not written; after connecting the lists are the server's. The file of the server is for
damage_server.py."""

import json
import pathlib
import random
import shutil
import sys

import common
import damage_ways
import server
import sm

ALLOWED = {"cache.db": {0, sm.STATUS["NEWER_SCHEMA"], sm.STATUS["STORAGE"]},
           "intents.db": {0, sm.STATUS["NEWER_SCHEMA"], sm.STATUS["STORAGE"], sm.STATUS["CORRUPT_INTENTS"]}}


def build(run, host):
    """A directory with something in every table; own messages and writes wait in it."""
    for url in ("c0", "c1", "c2"):
        host.channel(url, ["a", "b"])
        host.control("post_messages", channel_url=url, user_id="b", count=60)
    for number in range(20):
        host.rest("POST", "group_channels/c0/messages", {
            "message_type": "MESG", "user_id": "b", "message": f"reply {number}", "parent_message_id": 1})
        host.data(f"d/k{number}", "PUT", {"n": number})
    config = host.config("a", run.folder / "data", queue_limit=100000, request_timeout_ms=3000, search=True)
    client = sm.Client(**config)
    client.wait(client.connect())
    client.wait(client.channels().fetch(sm.NEXT))
    views = {url: client.messages(url) for url in ("c0", "c1", "c2")}
    thread = client.messages("c0", {"parent_message_id": 1})
    for view in list(views.values()) + [thread]:
        while client.wait(view.fetch(sm.PREVIOUS)).get("has_more"):
            pass
    for path in ("", "d"):
        client.wait(client.call("database_get", path=path))
    listen = client.call("database_listen", path="d")
    client.until(lambda: listen in client.results, 5)
    client.until(lambda: False, 3)
    client.wait(client.call("database_offline"))
    client.simple("sm_disconnect")
    for number in range(12):
        views["c1"].send(message=f"own {number}", request_id=f"q{number}")
        client.call("database_set", path=f"w/k{number}", value=number, when="kept")
    for number in range(12, 18):
        text = sm.encode({"message": f"own {number}", "request_id": f"q{number}"})
        client.wait(client.request("sm_handle_send_response", views["c2"].handle, text, 900060))
    client.until(lambda: False, 0.5)
    client.close()
    return config


def flatten(folder):
    """Puts the logs into their files, so that a change of a file's bytes is one."""
    import sqlite3
    for path in list(folder.rglob("*.db")):
        database = sqlite3.connect(path)
        database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        database.close()


def visit(run, config, folder):
    place = run.folder / "config.json"
    place.write_text(json.dumps(dict(config, data_dir=str(folder))), encoding="utf-8")
    status, output, errors = common.child(["damage_open.py", place], run.arguments.limit)
    try:
        return status, json.loads(output), errors
    except ValueError:
        return status, None, errors


def judge(run, file, words, status, said, errors, good):
    facts = {"file": file, "damage": words}
    if status != 0 or said is None:
        run.found("hang" if status is None else f"exit status {status}", errors=errors[-500:], **facts)
        return
    for text in said["bad"]:
        run.found(text[:300], **facts)
    for number in said["setup"]:
        if number not in ALLOWED[file]:
            run.found(f"sm_setup gave {sm.NAME[number]}", **facts)
        run.count("setup_" + sm.NAME[number])
    run.count("told", len(said["told"]))
    if "offline" not in said:
        return
    for url, rows in said["offline"]["lists"].items():
        known = dict(good["online"]["lists"][url])
        other = [number for number, each in rows if each != known.get(number)]
        if other:
            run.found("a message is shown otherwise than it was", url=url, ids=other[:5], **facts)
    judge_results(run, said, good, facts)
    if file == "intents.db":
        judge_own(run, said, good, facts)
    if "online" in said and (said["online"]["lists"] != good["online"]["lists"]
                             or said["online"]["values"] != good["online"]["values"]):
        run.count("not_healed")
        run.not_healed.append(f"{words}: {summary(said['online'], good['online'])}")


def judge_results(run, said, good, facts):
    """A search finds nothing that was never there, and all of what the lists show."""
    for state in ("offline", "online"):
        if state not in said:
            continue
        for query, rows in said[state]["results"].items():
            if rows is None:
                run.count("search_storage")
                if not any(event["type"] == "storage_error" for event in said["told"]):
                    run.found("a search gives STORAGE, and nothing was told", state=state, **facts)
                continue
            known = dict(good["online"]["results"][query])
            if len(dict(rows)) != len(rows):
                run.found("a search finds a message twice", state=state, query=query, **facts)
            other = [name for name, each in rows if each != known.get(name)]
            if other:
                run.found("a search finds what was never there", state=state, query=query, ids=other[:5], **facts)
            whole = all(said[state][each] == good[state][each] for each in ("lists", "thread"))
            missing = sorted(set(known) - set(dict(rows)))
            if whole and missing:
                run.count("not_found")
                run.not_found.append(f"{state}, {query}: {len(missing)} of {len(known)}: {facts['damage']}")


def summary(said, good):
    """Where two looks differ, in words."""
    parts = [f"{url}: {len(rows)} of {len(good['lists'][url])}" for url, rows in said["lists"].items()
             if rows != good["lists"][url]]
    return ", ".join(parts + [f"value of {path!r}" for path in good["values"]
                              if said["values"][path] != good["values"][path]])


def judge_own(run, said, good, facts):
    lost = {each.get("request_id") for event in said["told"] for each in event.get("lost") or []}
    number = sum(event.get("lost_count", 0) for event in said["told"])
    there = {each["request_id"] for rows in said.get("online", {}).get("lists", {}).values() for _, each in rows
             if each.get("request_id")}
    known = set(said["offline"]["own"]) | lost | there
    missing = [name for name in good["own"] if name not in known]
    told = [event for event in said["told"] if event["type"] == "storage_error"]
    silent = facts["damage"].startswith(("DELETE", "DROP TABLE", "ALTER", "CREATE TRIGGER"))
    if missing and len(missing) > number and not told and not silent:
        run.found("own messages are gone, and nothing was told", missing=missing[:5], **facts)
    wrong = {name: text for name, text in said["offline"]["own"].items() if good["own"].get(name) != text}
    if wrong:
        run.found("an own message is shown otherwise than it was written", wrong=dict(list(wrong.items())[:3]), **facts)


def cases(file, path, arguments):
    """(way, table, column) of every case, the same for the same options."""
    for table, columns in damage_ways.tables(path).items():
        for number in range(arguments.each):
            yield damage_ways.SQL[number % len(damage_ways.SQL)], table, columns[number % len(columns)]
    for number in range(arguments.bytes):
        yield damage_ways.BYTES[number % len(damage_ways.BYTES)], None, None


def sent(run, host, good, words):
    texts = {each["message"] for url in ("c0", "c1", "c2") for each in host.all_messages(url)}
    if texts - good["texts"]:
        run.found("something was sent that was not written", texts=sorted(texts - good["texts"])[:5], damage=words)
        good["texts"] |= texts


def attack(run, host, config, clean, good, file):
    source = next(clean.rglob(file))
    for number, (way, table, column) in enumerate(cases(file, source, run.arguments)):
        if run.arguments.only >= 0 and number != run.arguments.only:
            continue
        folder = run.folder / "case"
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(clean, folder)
        choice = random.Random(f"{run.seed} {file} {number}")
        path = next(folder.rglob(file))
        words = f"{way(path, table, column, choice)} [--file {file} --only {number}]"
        judge(run, file, words, *visit(run, config, folder), good)
        if number % 20 == 0:
            sent(run, host, good, words)
        run.count("cases")
        if len(run.findings) > 50:
            return


def main():
    parser = common.options(__doc__.splitlines()[0], each=(100, "cases of one table"),
                            bytes=(100, "cases of a file's bytes"),
                            limit=(90, "seconds after which an opening has hung"), only=(-1, "this case alone"),
                            file=("", "cache.db or intents.db alone"))
    run = common.Run("damage", parser.parse_args())
    run.not_healed, run.not_found = [], []
    host = server.Server(users=["a", "b"])
    config = build(run, host)
    clean = run.folder / "data"
    flatten(clean)
    first = run.folder / "first"
    shutil.copytree(clean, first)
    status, good, errors = visit(run, config, first)
    if status != 0 or good["setup"] != [0, 0] or good["told"] or good["bad"]:
        run.found("the undamaged directory does not open as it should", status=status, errors=errors,
                  said=str(good)[:500])
        sys.exit(run.end())
    good["own"] = {**good["offline"]["own"]}
    good["texts"] = {each["message"] for url in ("c0", "c1", "c2") for each in host.all_messages(url)}
    for file in ("cache.db", "intents.db"):
        if run.arguments.file in ("", file):
            attack(run, host, config, clean, good, file)
    host.stop()
    for words in run.not_healed[:40]:
        print("not the server's lists after connecting:", words[:240])
    for words in run.not_found[:40]:
        print("shown, but not found by a search:", words[:240])
    sys.exit(run.end())


if __name__ == "__main__":
    main()
