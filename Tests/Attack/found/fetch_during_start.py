"""A sm_fetch() during a sm_collection_start() is accepted, and its result is DUPLICATED_FETCH.

The header says of sm_fetch(): "Completion: TIMEOUT, CANCELED (by the action "cancel", with what was inserted so far),
STORAGE, NOT_FOUND (the channel is gone), REMOVED, CLOSED. Errors: INVALID_HANDLE, INVALID_ARGUMENT, DUPLICATED_FETCH,
CLOSED": DUPLICATED_FETCH is an error of the call, and no call that was accepted completes with it. Only
sm_collection_start() and sm_stream_call() name it as a completion."""

import pathlib
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import server  # noqa: E402
import sm  # noqa: E402


def main():
    host = server.Server(users=["a"])
    host.channel("c", ["a"])
    with tempfile.TemporaryDirectory() as folder:
        client = sm.Client(**host.config("a", folder))
        client.wait(client.connect())
        host.control("delay", path_prefix="/v3", ms=1000)
        collection = client.messages("c")
        collection.start()
        try:
            status = client.wait(collection.fetch(sm.NEXT))["status"]
        except sm.Refused as refused:
            print("refused at once:", refused)
            status = 0
        client.close()
    host.stop()
    print("the accepted fetch completed with", sm.NAME[status])
    sys.exit(1 if status == sm.STATUS["DUPLICATED_FETCH"] else 0)


main()
