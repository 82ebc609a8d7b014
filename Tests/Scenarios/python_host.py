"""What the two Python hosts of the scenarios share: PROTOCOL.md on the package syncmanager. It decides nothing."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "bindings/python"))

import syncmanager  # noqa: E402
from syncmanager.collections import Channels, Messages, SearchResults  # noqa: E402
from syncmanager.streams import Streams  # noqa: E402
from syncmanager.testing import World  # noqa: E402


class Host:
    """The client, its collections by name, and a method for each step. What both clients of the package share."""

    def __init__(self) -> None:
        self.client: Any = None
        self.named: dict[str, Any] = {}
        self.made: Any = None

    def open(self, config):
        raise NotImplementedError

    def started(self, target):
        """What makes calls of a client or collection without waiting for them."""
        raise NotImplementedError

    def take(self, timeout_ms):
        raise NotImplementedError

    # A world, with the library that has one

    def world(self, seed, options=None):
        self.made = World(seed, **(options or {}))

    def ask_world(self, method, target, body=None, database=False):
        status, answer = self.made.ask(method, target, body, database=database)
        return {"status": status, "body": answer}

    def end_world(self):
        self.made.close()

    def kill(self):
        self.made.kill(self.client)
        self.client, self.named = None, {}

    def setup(self, config):
        self.client = self.open(config)

    def close(self):
        self.end()
        self.client, self.named = None, {}

    def end(self):
        raise NotImplementedError

    def connect(self):
        return {"request": self.started(self.client).connect().request}

    def disconnect(self):
        self.client.disconnect()

    def resume_sync(self):
        self.client.resume_sync()

    def pause_sync(self):
        self.client.pause_sync()

    def set_token(self, token):
        self.client.set_token(token)

    def set_foreground(self, foreground):
        self.client.set_foreground(foreground)

    def sign_out(self):
        return {"request": self.started(self.client).sign_out().request}

    def clear_cache(self, channel_url=None):
        return {"request": self.started(self.client).clear_cache(channel_url).request}

    def call(self, document):
        return {"request": self.started(self.client).call_document(document).request}

    def channels(self, query=None, **more):
        self.named[more["as"]] = view = self.client.channels(**(query or {}))
        return {"collection": view.number}

    def search(self, query, **more):
        rest = {key: value for key, value in query.items() if key != "query"}
        self.named[more["as"]] = view = self.client.search(query.get("query"), **rest)
        return {"collection": view.number}

    def messages(self, channel_url, viewpoint, filter=None, **more):
        self.named[more["as"]] = view = self.client.messages(channel_url, viewpoint, **(filter or {}))
        return {"collection": view.number}

    def stream(self, spec, function=None, **more):
        table = function and (lambda key, _: function.get(key, 0))
        source = {"source": spec["source"]} if "source" in spec else {}
        rest = {key: value for key, value in spec.items() if key != "source"}
        self.named[more["as"]] = view = self.client.stream(source.get("source"), function=table or None, **rest)
        return {"collection": view.number}

    def ask(self, on, request):
        return {"request": self.started(self.named[on]).ask(request).request}

    def fetch(self, on, direction):
        view = self.named[on]
        if isinstance(view, (Channels, SearchResults)):
            assert direction == "next", "channels and results are only fetched forward"
            return {"request": self.started(view).fetch().request}
        return {"request": self.started(view).fetch(direction).request}

    def open_cached(self, channel_url, viewpoint, filter=None, **more):
        self.named[more["as"]] = view = self.client.open_messages(channel_url, viewpoint, **(filter or {}))
        return {"collection": view.number, "request": view.opened.request}

    def fetch_all_next(self, on):
        return {"request": self.started(self.named[on]).fetch_all_next().request}

    def fetch_failed(self, on):
        return {"request": self.started(self.named[on]).fetch_failed().request}

    def fetch_pending(self, on):
        return {"request": self.started(self.named[on]).fetch_pending().request}

    def contains(self, on, item):
        return {"contains": self.named[on].contains(item)}

    def start(self, on):
        return {"request": self.started(self.named[on]).load().request}

    def reset_viewpoint(self, on, viewpoint):
        self.named[on].reset_viewpoint(viewpoint)

    def info(self, on):
        return {"info": self.named[on].info()}

    def snapshot(self, on):
        return {"snapshot": self.named[on].snapshot()}

    def items(self, on):
        view = self.named[on]
        if isinstance(view, Streams):
            return {"items": {"sections": view.sections}}
        if isinstance(view, Messages):
            return {"items": {"succeeded": [*view.items], "pending": [*view.pending], "failed": [*view.failed]}}
        return {"items": {"results" if isinstance(view, SearchResults) else "channels": [*view.items]}}

    def remove(self, on):
        self.named.pop(on).remove()

    def send(self, on, message):
        return {"request": self.started(self.named[on]).send_document(message).request}

    def append(self, on, message):
        return {"request": self.started(self.named[on]).append(message).request}

    def update(self, on, message):
        return {"request": self.started(self.named[on]).update_document(message).request}

    def delete(self, on, message):
        return {"request": self.started(self.named[on]).delete_document(message).request}

    def response(self, on, message, error_code):
        return {"request": self.started(self.named[on]).handle_send_response(message, error_code).request}


def say(answer: dict) -> None:
    print(json.dumps(answer, ensure_ascii=False), flush=True)


def serve(host: Host, name: str) -> None:
    """Takes steps until standard input ends."""
    say({"host": name, "version": syncmanager.version(), "items": True})
    for line in sys.stdin:
        step = json.loads(line)
        number, verb = step.pop("id"), step.pop("do")
        try:
            answer = getattr(host, verb)(**step) or {}
        except syncmanager.SyncManagerError as error:
            answer = {"error": {"code": error.code, "name": error.name, "message": error.message}}
            if error.path is not None:
                answer["error"]["path"] = error.path
        except Exception as error:
            print(f"step {number} {verb}: {error!r}", file=sys.stderr)
            sys.exit(2)
        say({"id": number, **answer})
    if host.client is not None:
        host.end()
