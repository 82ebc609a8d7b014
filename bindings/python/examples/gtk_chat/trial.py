"""What ``--try`` shows: a server of its own with a generated account, and Robin, who answers."""

from __future__ import annotations

import contextlib
import itertools
import tempfile
import threading
from collections.abc import Generator

from syncmanager.blocking import SyncManager
from syncmanager.documents import Config
from syncmanager.errors import SyncManagerError
from syncmanager.events import MessageReceived
from syncmanager.testing import Server

TALK = ("Hi! I am the other one here: what you write, I answer.", "Try a reaction 👍, a file, or a reply in a thread.")
ANSWERS = ("Good point!", "Tell me more 🙂", "I was about to say the same.", "Noted. And then?", "Ha! 😄", "Agreed.")
#: How long Robin reads, and how long Robin types, in seconds.
READS, TYPES = 0.6, 1.4


class Robin:
    """Another member, with a client of its own on a thread of its own."""

    def __init__(self, config: Config) -> None:
        config["cache"], config["notify"] = "none", "all"
        self._client = SyncManager(**config)
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._live, name="robin")
        self._thread.start()

    def _live(self) -> None:
        answers = itertools.cycle(ANSWERS)
        with contextlib.suppress(SyncManagerError):  # the server or the program has ended
            self._client.connect()
            for event in self._client.events():
                if isinstance(event, MessageReceived):
                    self._answer(event, next(answers))

    def _answer(self, event: MessageReceived, answer: str) -> None:
        url, parent = event.channel_url, event.message.get("parent_message_id")
        self._over.wait(READS)
        self._client.mark_as_read(url)
        if len(event.message.get("message", "")) > 40:
            self._client.add_reaction(url, event.message, "👍")
        self._client.start_typing(url)
        self._over.wait(TYPES)
        chat = self._client.messages(url)
        if parent:
            chat.send(answer, parent_message_id=parent)
        else:
            chat.send(answer)
        chat.remove()
        self._client.start.acknowledge(event.id)

    def close(self) -> None:
        """Ends the client and its thread."""
        self._over.set()
        self._client.close()
        self._thread.join()


@contextlib.contextmanager
def trial() -> Generator[Config]:
    """A user of a server that ends with the program."""
    with tempfile.TemporaryDirectory() as folder, Server("--generate", "1") as server:
        robin, user = server.create_user("robin", "Robin"), server.user()
        server.create_channel("robin", "robin", user["user_id"], name="")
        for text in TALK:
            server.post("robin", "robin", text)
        other = Robin(server.config(robin, folder))
        try:
            yield server.config(user, f"{folder}/own")
        finally:
            other.close()
