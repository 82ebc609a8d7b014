"""What the host does in a scenario."""

from __future__ import annotations

import contextlib
import os
import sqlite3
from base64 import b64decode

import checked
import row_checksum
from host import Refused

LATEST = 2**63 - 1
#: Which member of a step is a document of the host's, and the schema it should follow.
GIVEN = {
    "setup": ("config", "configuration"),
    "channels": ("query", "channel-query"),
    "messages": ("filter", "message-filter"),
    "search": ("query", "search-query"),
    "open_cached": ("filter", "message-filter"),
    "send": ("message", "own-message/send"),
    "append": ("message", "own-message/append"),
    "response": ("message", "own-message/response"),
    "update": ("message", "own-message/update"),
    "delete": ("message", "own-message/delete"),
    "call": ("document", "action"),
    "stream": ("spec", "stream"),
    "ask": ("request", "stream-request"),
}


class HostSteps:
    """A step {"host": NAME, ...} is the method host_NAME with the other members."""

    def begin(self, wanted, verb, fails=None, path=None, **members):
        """Makes a call and waits for its result as far as is wanted; with `fails` it must be refused."""
        member, schema = GIVEN.get(verb, (None, None))
        try:
            answer = self.host.step(verb, **members)
        except Refused as refused:
            error = refused.error
            checked.told("last-error", error)
            if schema:
                checked.given(schema, members[member], error)
            assert fails, f"was refused: {error}"
            assert error["name"] == fails and (path is None or error.get("path") == path), f"was refused: {error}"
            return None
        assert not fails, "was accepted"
        if schema:
            checked.given(schema, members[member])
        self.last_request = answer.get("request")
        if self.last_request is None or "collection" in answer:
            return answer
        return self.finish(self.last_request, wanted)

    def host_setup(self, user="mei", config=None, fails=None, path=None, database_user=None):
        """`database_user`: who the user is to the database; nobody without it."""
        given = {**self.always, **(config or {})}
        self.config = self.server.config(self.users[user], self.folder / "data", **given)
        if database_user:
            self.config["database"]["token"] = self.server.session_key(database_user)
        if self.begin(None, "setup", fails, path, config=self.config) is not None:
            self.is_open = True

    def host_connect(self, result=()):
        self.begin(result, "connect")

    def host_disconnect(self):
        self.begin(None, "disconnect")

    def host_close(self):
        self.begin(None, "close")
        self.collections = {}
        self.is_open = False

    def host_kill(self, config=None):
        """As a crash does, in the middle of whatever the host's library is doing; then a new host opens the files."""
        if self.hosts.in_world:
            self.host.step("kill")
        else:
            self.host.kill()
            self.host = self.hosts.take(self.host.program)
        self.is_open = False
        self.reopen(config)

    def host_restart(self, config=None, aged=None, damaged=None):
        """`aged`: own messages that wait are so many ms older then. `damaged`: cursors whose values have changed."""
        self.host_close()
        if aged is not None:
            self.age(aged)
        for cursors in damaged or []:
            self.damage(cursors)
        self.reopen(config)

    def damage(self, cursors):
        """`cursors` is a pattern of keys of the cache's table `meta`."""
        for file in (self.folder / "data").rglob("cache.db"):
            with contextlib.closing(sqlite3.connect(file)) as cache, cache:
                count = cache.execute("UPDATE meta SET value = value || '0' WHERE key GLOB ?", (cursors,)).rowcount
                assert count > 0, f"no cursor {cursors}"

    def age(self, milliseconds):
        files = list((self.folder / "data").rglob("intents.db"))
        assert files, "there is no outbox"
        for file in files:
            with contextlib.closing(sqlite3.connect(file)) as outbox, outbox:
                outbox.create_function("checksum_of_row", -1, row_checksum.of_row)
                outbox.execute("UPDATE intent SET created_at = created_at - ?", (milliseconds,))
                outbox.execute("""
                    UPDATE intent SET checksum = checksum_of_row(
                        id, channel_url, request_id, created_at, status, error_code, retry_count, is_host_sent, body,
                        message_id)
                    """)

    def reopen(self, config):
        self.collections, self.replay, self.events, self.results, self.hooks = {}, {}, [], {}, []
        self.received = []
        self.sync_state = ""
        self.config.update(config or {})
        self.begin(None, "setup", config=self.config)
        self.is_open = True

    def host_token(self, token=None):
        """The present token of the user who was set up, or `token`."""
        self.begin(None, "set_token", token=token or self.users[self.config["user_id"]]["access_token"])

    def host_channels(self, query=None, fails=None, path=None, **more):
        self.make(more["as"], "channels", fails, path, query=query or {})

    def host_search(self, query, fails=None, path=None, result=(), fetches=True, **more):
        """A search for a text, or with the query of an object, and its first page unless `fetches` is false."""
        if isinstance(query, str):
            query = {"query": query}
        named = {key: self.point(query[key]) for key in ("since", "until") if isinstance(query.get(key), (str, dict))}
        self.make(more["as"], "search", fails, path, query={**query, **named})
        if fetches and not fails:
            self.host_fetch(more["as"], "next", result)

    def host_open(self, url, filter=None, viewpoint="latest", fails=None, path=None, thread=None, **more):
        if thread:
            filter = {**(filter or {}), "parent_message_id": self.named[thread]["message_id"]}
        self.make(more["as"], "messages", fails, path, channel_url=url, filter=filter or {},
                  viewpoint=self.point(viewpoint))

    def host_stream(self, fails=None, path=None, function=None, **more):
        """A stream; others in its source are named. `function`: what the host's function says of keys (else 0)."""
        members = {"spec": self.with_numbers(more["spec"])}
        if function is not None:
            members["function"] = function
        self.make(more["as"], "stream", fails, path, **members)

    def with_numbers(self, spec):
        source = spec.get("source")
        if isinstance(source, dict) and isinstance(source.get("union"), list):
            source = {"union": [self.collections.get(name, name) for name in source["union"]]}
        elif isinstance(source, dict) and "partition" in source:
            stream = source["partition"].get("stream")
            source = {"partition": {**source["partition"], "stream": self.collections.get(stream, stream)}}
        return {**spec, **({} if source is None else {"source": source})}

    def host_ask(self, on, result=(), fails=None, path=None, at=None, **request):
        """Something of a stream; `at` is the path of a row. With `result` null the answer is not waited for."""
        if at is not None:
            request["path"] = at
        self.begin(result, "ask", fails, path, on=on, request=request)

    def host_overflow(self, on, rows):
        """Changes so many rows one by one without draining."""
        for number in range(rows):
            self.begin(None, "ask", on=on, request={"action": "add", "rows": [{"key": f"r{number}", "item": number}]})

    def host_open_cached(self, url, filter=None, viewpoint="latest", result=(), **more):
        """As `open`, of a channel that is in the cache; with its result."""
        self.make(more["as"], "open_cached", None, None, channel_url=url, filter=filter or {},
                  viewpoint=self.point(viewpoint))
        self.finish(self.last_request, result)

    def make(self, name, verb, fails, path, **members):
        answer = self.begin(None, verb, fails, path, **{"as": name}, **members)
        if answer:
            self.collections[name] = answer["collection"]
            self.replay[answer["collection"]] = {}

    def point(self, viewpoint):
        if viewpoint == "latest":
            return LATEST
        if isinstance(viewpoint, dict):
            return self.named[viewpoint["message"]]["created_at"] + viewpoint["plus"]
        return self.named[viewpoint]["created_at"] if isinstance(viewpoint, str) else viewpoint

    def host_fetch(self, on, direction="previous", result=(), fails=None):
        self.begin(result, "fetch", fails, on=on, direction=direction)

    def host_fetch_all_next(self, on, result=(), fails=None):
        self.begin(result, "fetch_all_next", fails, on=on)

    def host_fetch_failed(self, on, result=()):
        self.begin(result, "fetch_failed", on=on)

    def host_fetch_pending(self, on, result=()):
        self.begin(result, "fetch_pending", on=on)

    def host_set_limit(self, on, limit, result=()):
        self.host_call("set_limit", result=result, collection=self.collections[on], limit=limit)

    def host_start(self, on, result=()):
        self.begin(result, "start", on=on)

    def host_fetch_all(self, on, direction="previous"):
        while self.begin((), "fetch", on=on, direction=direction)["has_more"]:
            pass

    def content(self, size):
        """The bytes of a file of that size, the same each time."""
        return (bytes(range(256)) * (size // 256 + 1))[:size]

    def host_file(self, name, size=None, base64=None, is_folder=False, is_pipe=False, gone=False):
        """Makes a file, or another one in its place; or takes it away. Nothing of the library is called."""
        path = self.folder / name
        if path.exists():
            path.unlink()
        if is_folder:
            path.mkdir()
        elif is_pipe:
            os.mkfifo(path)
        elif not gone:
            path.write_bytes(self.content(size) if base64 is None else b64decode(base64))

    def host_send_files(self, on, files, text=None, result=(), fails=None, path=None, **fields):
        """Each file is the name of one that `file` made, or an object; then its `path` is such a name, and its `url`
        that of a file at the server. One is sent as `file`, a list in a list as `files`."""
        def read(file):
            if isinstance(file, str):
                file = {"path": file}
            if not isinstance(file, dict):
                return file
            whole = dict(file)
            if isinstance(file.get("path"), str) and not file["path"].startswith("/") and file["path"]:
                whole["path"] = str(self.folder / file["path"])
            if file.get("url") in self.files:
                whole["url"] = self.files[file["url"]]
            return whole

        several = isinstance(files, list) and len(files) == 1 and isinstance(files[0], list)
        entries = [read(file) for file in (files[0] if several else files)]
        named = {"files": entries} if several or len(entries) != 1 else {"file": entries[0]}
        message = {**({} if text is None else {"message": text}), **named, **fields}
        self.begin(result, "send", fails, path, on=on, message=message)

    def host_download(self, of, to, result=(), message=None, **arguments):
        """Receives a file of the server, by its name, or that of a message of the collection `of`."""
        url = self.files.get(of)
        if url is None:
            shown = self.snapshot(of)["succeeded"]
            url = next(m for m in shown if message is None or m["message"] == message)["file"]["url"]
        self.host_call("download_file", result=result, url=url, path=str(self.folder / to), **arguments)

    def host_export(self, to, result=(), **arguments):
        """Writes what is cached to a file, by its name."""
        self.host_call("export", result=result, path=str(self.folder / to), **arguments)

    def host_file_url(self, of, result=(), **more):
        """Asks for the address of a file with the key; it is named with `as`."""
        self.host_call("file_url", result=None, url=self.files[of])
        event = self.finish(self.last_request, result)
        self.files[more["as"]] = event["result"]["url"]

    def host_send(self, on, text=None, result=(), fails=None, fields=None):
        def read(value):
            if not isinstance(value, dict) or "message" not in value:
                return value
            number = self.id_of(on, value["message"])
            return str(number) if value.get("as_text") else number

        named = {key: read(value) for key, value in (fields or {}).items()}
        message = {**({} if text is None else {"message": text}), **named}
        self.begin(result, "send", fails, on=on, message=message)

    def host_resend(self, on, index=0, result=()):
        self.begin(result, "send", on=on, message={"resend": self.snapshot(on)["failed"][index]["request_id"]})

    def host_update(self, on, text=None, message=None, failed=None, result=(), fails=None, path=None, **fields):
        """Changes a failed message; or tells the edit of a sent one, as the server has it now."""
        if failed is not None:
            document = {**self.which(on, None, failed=failed), **({} if text is None else {"message": text}), **fields}
        else:
            document = {**self.as_shown(on, message), **fields}
            if text is not None:
                document["message"] = text
        self.begin(result, "update", fails, path, on=on, message=document)

    def as_shown(self, on, message):
        """The service's object of a message, by its name or its text."""
        if message in self.named:
            return dict(self.named[message])
        return next(dict(m) for m in self.snapshot(on)["succeeded"] if m["message"] == message)

    def host_delete(self, on, message=None, failed=None, pending=None, result=()):
        self.begin(result, "delete", on=on, message=self.which(on, message, failed=failed, pending=pending))

    def which(self, on, message, **lists):
        """A message by its name, or by its place in a list of unsent ones."""
        for name, index in lists.items():
            if index is not None:
                return {"request_id": self.snapshot(on)[name][index]["request_id"]}
        return {"message_id": self.id_of(on, message)}

    def host_append(self, on, request_id=None, text=None, sent=None, result=(), fails=None, path=None, **fields):
        """A message under way, or with `sent` one that the service has, by its name."""
        document = dict(self.named[sent]) if sent else {}
        document.update(fields)
        if request_id is not None:
            document["request_id"] = request_id
        if text is not None:
            document["message"] = text
        self.begin(result, "append", fails, path, on=on, message=document)

    def host_response(self, on, request_id, message=None, error_code=0, result=(), text=None, **fields):
        document = dict(self.named[message]) if message else dict(fields)
        document["request_id"] = request_id
        if text is not None:
            document["message"] = text
        self.begin(result, "response", on=on, message=document, error_code=error_code)

    def host_call(self, action, of=None, thread=None, shown=None, result=(), fails=None, at=None, **arguments):
        """An action; `of` names a message, for its `message_id`, `thread` one for its
        `parent_message_id`. With `fails`, `at` is the path of what is refused, and
        `path` too, unless it is an argument. `as` names the call, for `listen` and `transaction` of later ones.
        `shown`: a collection and the text of a message in it, for its `message_id`."""
        name = arguments.pop("as", None)
        refused = at or (arguments.pop("path", None) if fails and at is None else None)
        if of is not None:
            arguments["message_id"] = self.named[of]["message_id"]
        if thread is not None:
            arguments["parent_message_id"] = self.named[thread]["message_id"]
        if shown is not None:
            arguments["message_id"] = self.id_of(*shown)
        for key in ("listen", "transaction"):
            if key in arguments:
                arguments[key] = self.calls.get(arguments[key], arguments[key])
        if name:
            wanted, result = result, None
        self.begin(result, "call", fails, refused, document={"action": action, **arguments})
        if name:
            self.calls[name] = self.last_request
            self.finish(self.last_request, wanted)

    def host_database_token(self, user, result=()):
        """The database is told that this is who asks."""
        self.host_call("database_set_token", result=result, token=self.server.session_key(user))

    def host_proceed(self, result=(), keep=False, **answer):
        """Answers the hook that was asked first (`value`, `refuse`); with `keep` it is to be answered once more."""
        self.until(lambda: bool(self.hooks), True)
        hook = self.hooks[0] if keep else self.hooks.pop(0)
        self.host_call("resource_continue", result=result, hook=hook, **answer)

    def host_acknowledge(self, message, result=()):
        """The message of others with this name has been told, and is done with."""
        identity = self.named[message]["message_id"]
        self.until(lambda: identity in self.received_ids, True)
        self.host_call("acknowledge", result=result, id=self.received_ids[identity])

    def host_cancel(self, result=()):
        """Cancels the call that was made last."""
        self.host_call("cancel", result=result, request=self.last_request)

    def host_pause(self):
        self.begin(None, "pause_sync")

    def host_resume(self):
        self.begin(None, "resume_sync")

    def host_reset(self, on, viewpoint="latest"):
        self.begin(None, "reset_viewpoint", on=on, viewpoint=self.point(viewpoint))

    def host_remove(self, on):
        self.begin(None, "remove", on=on)
        self.replay.pop(self.collections.pop(on))

    def host_foreground(self, foreground=True):
        self.begin(None, "set_foreground", foreground=foreground)

    def host_sign_out(self, result=()):
        self.begin(result, "sign_out")

    def host_clear_cache(self, url=None, result=()):
        self.begin(result, "clear_cache", channel_url=url)

    def snapshot(self, on):
        return self.host.step("snapshot", on=on)["snapshot"]

    def id_of(self, on, message):
        if message in self.named:
            return self.named[message]["message_id"]
        return next(m["message_id"] for m in self.snapshot(on)["succeeded"] if m["message"] == message)
