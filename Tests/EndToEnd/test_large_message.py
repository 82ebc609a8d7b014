"""A message larger than the service takes fails for good, and nothing else waits for it."""

from __future__ import annotations

import json

from harness import Server
from library import Client, lib
from populate import CHANNEL, OPTIONS, OTHER, config_of, fill_server

MIB = 1 << 20
SERVICE = -14


def send(collection, text, request_id):
    document = json.dumps({"message": text, "request_id": request_id}).encode()
    assert lib.sm_send_message(collection, document, None, None, None, None) == 0


def test_a_message_that_is_too_large_ends_one_session_only(tmp_path):
    with Server(*OPTIONS, db=tmp_path / "server.db") as server:
        fill_server(server, messages=3)
        with Client(config_of(server, tmp_path / "data")) as client:
            here, error = client.messages(CHANNEL, {})
            assert error is None
            there, error = client.messages(OTHER, {})
            assert error is None
            assert lib.sm_connect(client.handle, None, None, None, None) == 0
            client.wait("result", call="connect", status=0)
            send(here, "x" * (5 * MIB), "large")
            send(here, "behind it", "behind")
            events = []

            def wait(is_it):
                while (event := client.next_event()) is not None:
                    events.append(event)
                    if is_it(event):
                        return event
                raise AssertionError([(event["type"], event.get("state")) for event in events])

            def left(request_id):
                """Waits until the service has the message."""
                wait(lambda event: event["type"] == "change" and event["list"] in ("pending", "failed")
                     and event["action"] == "remove" and request_id in json.dumps(event)
                     and event["source"] == "event_message_sent")

            failed = wait(lambda event: event["type"] == "result" and event.get("request_id") == "large")
            assert (failed["status"], failed["code"]) == (SERVICE, 800110), failed
            assert failed["message"].startswith("the service takes no message of 52428"), failed
            # The library sends it by itself as soon as it is connected again.
            left("behind")
            send(there, "elsewhere", "elsewhere")
            left("elsewhere")
            told = [row for event in events if event["type"] == "change" and event["list"] == "failed"
                    for row in event.get("messages", []) if row["request_id"] == "large"]
            assert [(row["status"], row["resendable"], row["retry_count"]) for row in told] == [("failed", False, 1)]
            assert sum(event["type"] == "connection" and event["state"] == "connected" for event in events) == 1
        for url, text in ((CHANNEL, "behind it"), (OTHER, "elsewhere")):
            texts = [message["message"] for message in server.messages(url)]
            assert texts[-1] == text and texts.count(text) == 1, texts
