"""The snippet of a word that is longer than a snippet says no place, and is longer than promised.

docs/search.md: "`snippet` is the part of the text around the first match, at most 160 characters; `...` stands where it
was cut. `matches` are the places in *that* text". For a word of more than 160 letters that is found by its beginning
(an address, a hash) the text has 161 characters, and `matches` is empty."""

import pathlib
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import server  # noqa: E402
import sm  # noqa: E402


def main():
    host = server.Server(users=["a", "b"])
    with tempfile.TemporaryDirectory() as folder:
        host.channel("c", ["a", "b"])
        host.post("c", "b", "needle" + "x" * 300)
        client = sm.Client(**host.config("a", folder, search=True))
        client.wait(client.connect())
        client.wait(client.messages("c").fetch(sm.PREVIOUS))
        found = client.search({"query": "needle"})
        client.until(lambda: client.wait(found.fetch(sm.NEXT))["status"] == 0 and found.snapshot()["results"], 10)
        snippet = found.snapshot()["results"][0]["snippet"]
        client.close()
    host.stop()
    print(f"snippet of {len(snippet['text'])} characters, {len(snippet['matches'])} matches")
    sys.exit(0 if len(snippet["text"]) <= 160 and snippet["matches"] else 1)


main()
