"""Arguments of hostile calls: handles that live, are gone, are of another kind or of nothing; numbers and documents."""

import ctypes
import json

import shapes
import sm

EDGES = [0, 1, 2, -1, 3, 5, 2**31 - 1, -2**31, 1000, -99]
LONG = [0, 1, -1, sm.LATEST, -2**63, 2**53, 1600000000000]
HUGE = b"x" * (17 << 20)
BAD_TEXTS = [None, b"", b"\xff\xfe", b"c0", b"c1", b"nowhere", b"\xed\xa0\x80", b"a\x00b", "ü".encode(), b"9" * 1000]
CLIENT = ["sm_connect", "sm_disconnect", "sm_resume_sync", "sm_pause_sync", "sm_set_token", "sm_set_foreground",
          "sm_sign_out", "sm_clear_cache", "sm_get_fd", "sm_next_event", "sm_dispatch", "sm_interrupt",
          "sm_set_callback", "sm_channel_collection_new", "sm_message_collection_new", "sm_message_collection_open",
          "sm_search_collection_new", "sm_stream_open"]
COLLECTION = ["sm_collection_number", "sm_collection_set_callback", "sm_fetch", "sm_fetch_all_next", "sm_fetch_failed",
              "sm_fetch_pending", "sm_collection_start", "sm_reset_viewpoint", "sm_collection_info",
              "sm_collection_snapshot", "sm_collection_contains", "sm_collection_remove", "sm_stream_call"]
OWN = ["sm_send_message", "sm_append_message", "sm_handle_send_response", "sm_update_message", "sm_delete_message"]
RARE = {"sm_sign_out", "sm_clear_cache", "sm_collection_remove", "sm_disconnect"}
PLACES = CLIENT + COLLECTION * 2 + OWN * 2 + ["sm_call"] * 14 + ["sm_setup", "sm_status_name", "sm_close"]
COMPLETES = {"sm_connect", "sm_sign_out", "sm_clear_cache", "sm_message_collection_open", "sm_fetch",
             "sm_fetch_all_next", "sm_fetch_failed", "sm_fetch_pending", "sm_collection_start", "sm_stream_call",
             "sm_call", *OWN}


def configuration(host, folder, kind, random):
    made = {"app_id": "syncmanager", "user_id": "u0", "data_dir": folder, "access_token": "token-u0",
            "api_host": "http://127.0.0.1:9", "ws_host": "ws://127.0.0.1:9", "database": {"url": "http://127.0.0.1:9"},
            "queue_limit": random.choice([16, 100, 1000, 5000]), "request_timeout_ms": 1000,
            "resend_policy": random.choice(["automatic", "manual", "none"])}
    if host:
        made.update(host.config("u0", folder))
    if random.random() < 0.8:
        made["search"] = True
    if kind == "thread":
        made["delivery"] = "thread"
    return made


class Makers:
    """Makes calls for one thread; the collections that were opened are shared between the threads of a round."""

    def __init__(self, current, random):
        self.current, self.random, self.shapes = current, random, shapes.Shapes(random)
        self.inside = False
        if not hasattr(current, "open"):
            current.open, current.stale, current.streams = [], [], []

    def call(self):
        """(name, arguments, user_data or None, the number's place or None, all outputs)."""
        name = self.random.choice(PLACES)
        while name in RARE and self.random.random() < 0.9:
            name = self.random.choice(PLACES)
        if name == "sm_close" and not (self.inside or self.random.random() < 0.05):
            name = "sm_call"
        arguments = [self.handle(name)] + getattr(self, "of_" + name[3:], self.of_nothing)()
        if name == "sm_setup":
            arguments = arguments[1:]
        if name == "sm_status_name":
            return name, [self.random.choice(EDGES)], None, None, []
        outputs = [each._obj for each in arguments if hasattr(each, "_obj")]
        data = number = None
        if name in COMPLETES:
            tail, data, number = self.tail(name)
            place = len(arguments) - (1 if name == "sm_message_collection_open" else 0)
            arguments[place:place] = tail
            outputs += [number] if number is not None else []
        elif name in ("sm_set_callback", "sm_collection_set_callback"):
            data = self.current.data(name)
            arguments += [self.current.pointers[2], data, self.current.pointers[1]]
        elif name == "sm_stream_open":
            data = self.current.data(name)
            arguments[2:2] = [self.random.choice([None, self.current.pointers[3]]), data, self.current.pointers[1]]
        return name, arguments, data, number, outputs

    def tail(self, name):
        number = sm.U64(0xABCDEF)
        if self.random.random() < 0.6:
            data = self.current.data(name)
            return [self.current.pointers[0], data, self.current.pointers[1],
                    ctypes.byref(number) if self.random.random() < 0.8 else None], data, number
        return [None, None, None, ctypes.byref(number)], None, number

    def handle(self, name):
        random = self.random
        way = random.random()
        if way < 0.08:
            return random.choice([None, 1, 8, 2**64 - 1, 0xDEADBEEF, random.getrandbits(64), random.getrandbits(16),
                                  (self.current.client.value or 0) + random.choice([1, 8, -1, 16]),
                                  ctypes.addressof(self.current.client)])
        of_client = name in CLIENT or name in ("sm_call", "sm_close")
        if way < 0.1:
            of_client = not of_client
        while name in RARE and self.random.random() < 0.9:
            name = self.random.choice(PLACES)
        if name == "sm_close" and not self.inside:
            return random.choice([None, 1, *[each.value for each in self.current.open[-3:]]])
        if of_client:
            return self.current.client
        live = self.current.streams if (name == "sm_stream_call") == (random.random() < 0.9) else self.current.open
        pool = self.current.stale if way < 0.13 and self.current.stale else live
        try:
            return random.choice(pool).value
        except IndexError:
            return None

    def keep(self, name, outputs):
        """Remembers the collection that a call made; removes old ones when there are many."""
        for each in outputs:
            if isinstance(each, sm.PTR) and name == "sm_setup":
                sm.lib().sm_close(each)
            elif isinstance(each, sm.PTR) and name in ("sm_channel_collection_new", "sm_message_collection_new",
                                                     "sm_message_collection_open", "sm_search_collection_new",
                                                     "sm_stream_open"):
                pool = self.current.streams if name == "sm_stream_open" else self.current.open
                pool.append(each)
                if len(pool) > 25:
                    old = pool.pop(self.random.randrange(12))
                    self.current.stale.append(old)
                    sm.lib().sm_collection_remove(old)
            elif isinstance(each, sm.PTR) and name in ("sm_collection_info", "sm_collection_snapshot"):
                ctypes.string_at(each.value)
                sm.lib().sm_string_free(each)

    def text(self):
        if self.random.random() < 0.0003:
            return HUGE
        return self.random.choice(BAD_TEXTS)

    def url(self):
        return self.text() if self.random.random() < 0.1 else self.random.choice(shapes.URLS).encode()

    def document(self, table, share=0.2):
        if self.random.random() < 0.01:
            return self.text()
        return self.shapes.hostile(self.shapes.document(table, share))

    def out(self):
        return None if self.random.random() < 0.03 else ctypes.byref(sm.PTR())

    def of_nothing(self):
        return []

    def of_set_token(self):
        return [self.text() if self.random.random() < 0.3 else b"token-u0"]

    def of_set_foreground(self):
        return [self.random.choice(EDGES)]

    def of_clear_cache(self):
        return [self.url()]

    def of_next_event(self):
        return [self.random.choice([0, 1, -1, 5]), None, None]

    def of_dispatch(self):
        if self.current.kind == "pull" and not self.inside:
            return [self.random.choice([-1, -2**31]), 0]
        return [self.random.choice([0, 1, -1, 2**31 - 1, -2**31]), self.random.choice([0, 1, 2])]

    def of_channel_collection_new(self):
        return [self.random.choice([None, self.document(shapes.QUERY, 0.05)]), self.out()]

    def of_search_collection_new(self):
        return [self.random.choice([None, self.document(shapes.SEARCH, 0.05), self.document(shapes.SEARCH, 0.05)]),
                self.out()]

    def of_message_collection_new(self):
        return [self.url(), self.random.choice([None, self.document(shapes.FILTER, 0.1)]), self.random.choice(LONG),
                self.out()]

    of_message_collection_open = of_message_collection_new

    def of_fetch(self):
        return [self.random.choice([1, 2, 1, 2, *EDGES])]

    def of_reset_viewpoint(self):
        return [self.random.choice(LONG)]

    def of_collection_info(self):
        return [self.out()]

    of_collection_snapshot = of_collection_info

    def of_collection_contains(self):
        return [self.text()]

    def of_stream_open(self):
        return [self.document(shapes.STREAM, 0.15), self.out()]

    def of_stream_call(self):
        return [self.shapes.hostile(self.shapes.action(shapes.STREAM_ACTIONS))]

    def of_send_message(self):
        if self.random.random() < 0.1:
            return [self.shapes.hostile({"resend": self.random.choice(shapes.REQUESTS)})]
        made = self.shapes.document(shapes.MESSAGE, 0.05)
        if self.random.random() < 0.7:
            del made["request_id"]
        return [self.shapes.hostile(made)]

    def of_append_message(self):
        return [self.document(shapes.OWN, 0.05)]

    of_update_message = of_append_message

    def of_handle_send_response(self):
        return [self.document(shapes.OWN, 0.05), self.random.choice([0, 0, 800180, *EDGES])]

    def of_delete_message(self):
        return [self.document(self.random.choice(["message_id:m", "request_id:i", "message_id:m request_id:i"]), 0.9)]

    def of_call(self):
        return [self.shapes.hostile(self.shapes.action())]

    def of_setup(self):
        made = self.shapes.document(shapes.CONFIG, 0.3)
        made.setdefault("app_id", "syncmanager")
        made["user_id"], made["data_dir"] = "u0", self.current.folder
        text = self.shapes.hostile(made)
        ours = b'"u0"' in text and b'"app_id": "syncmanager"' in text and \
            json.dumps({"data_dir": self.current.folder})[1:-1].encode() in text
        return [text if ours else b'{"user_id":3}', self.out()]
