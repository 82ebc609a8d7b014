"""A stream of the newest messages stays at an old place after a gap that is too large to be filled.

docs/streams.md: "Offline a stream shows the cache and is loaded; what came short is asked for again with the next login
… when too much was missed for the gap to be filled, a stream of the newest messages begins again at the newest."

A message collection of the channel is open and was never fetched; the stream is opened offline; more messages than
the service's huge gap come meanwhile. After the login the stream ends with the first messages of the gap, for good:
new rows never come, and fetch_more completes with {"has_more": false}. Without the collection, or with one that was
fetched, or with a stream that was opened before the connection was lost, it begins again at the newest."""

import pathlib
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import server  # noqa: E402
import sm  # noqa: E402


def main():
    host = server.Server("--huge-gap", "60", users=["a", "b"])
    host.channel("c", ["a", "b"])
    host.control("post_messages", channel_url="c", user_id="b", count=80)
    with tempfile.TemporaryDirectory() as folder:
        client = sm.Client(**host.config("a", folder, message_collection_capacity="infinite"))
        client.wait(client.connect())
        client.messages("c")
        client.until(lambda: False, 1)
        client.simple("sm_disconnect")
        stream = client.stream({"source": {"messages": {"channel_url": "c"}}})
        client.until(lambda: False, 1)
        host.control("post_messages", channel_url="c", user_id="b", count=100)
        client.wait(client.connect())
        client.until(lambda: False, 5)
        more = client.wait(stream.ask(action="fetch_more", count=200))
        shown = [row["item"]["message_id"] for row in stream.snapshot()["sections"][0]["rows"]]
        newest = host.all_messages("c")[-1]["message_id"]
        client.close()
    host.stop()
    print(f"the stream shows {len(shown)} messages, {shown[0]} to {shown[-1]}; the newest is {newest}; "
          f"fetch_more: {more['result']}")
    sys.exit(1 if newest not in shown else 0)


main()
