"""A stream's fetch_more that is under way at a sign-out completes with SERVICE, though no service refused.

What sm_sign_out() ends is CANCELED. The header says of SM_ERR_SERVICE: "the service refused; "code" and "message" are
its own". The event has no "code", and its message is "signed out", which is the library's own."""

import pathlib
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import server  # noqa: E402
import sm  # noqa: E402


def main():
    host = server.Server(users=["a"])
    host.channel("c", ["a"])
    for number in range(40):
        host.data(f"d/k{number:02}", "PUT", {"n": number})
    with tempfile.TemporaryDirectory() as folder:
        client = sm.Client(**host.config("a", folder))
        client.wait(client.connect())
        stream = client.stream({"source": {"database": {"path": "d", "order_by": "$key"}}, "limit": 5})
        client.until(lambda: False, 1)
        host.control("delay", path_prefix="/", ms=1500)
        more = stream.ask(action="fetch_more", count=5)
        signed = client.sign_out()
        event = client.wait(more, 20)
        client.wait(signed, 20)
        client.close()
    host.stop()
    print("fetch_more completed with", sm.NAME.get(event["status"], event["status"]), event)
    sys.exit(1 if event["status"] == sm.STATUS["SERVICE"] else 0)


main()
