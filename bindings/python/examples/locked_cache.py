"""Shows the newest message of a channel out of a cache that only a passphrase opens:
``locked_cache.py CONFIG_JSON CHANNEL_URL [--change]`` asks for it; with ``--change`` also for another one, which it has
from then on (docs/encryption.md)."""

import getpass
import json
import re
import sys

from syncmanager import Config
from syncmanager.blocking import SyncManager
from syncmanager.errors import NoEncryptionError, SyncManagerError, WrongKeyError

#: What a terminal obeys (docs/display.md).
CONTROLS = re.compile("[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")


def ask(question: str, is_secret: bool = True) -> str:
    """What the user answers; what is typed is not shown when it is a secret."""
    if is_secret and sys.stdin.isatty():
        return getpass.getpass(question)
    print(question, flush=True)
    answer = sys.stdin.readline()
    if not answer:
        sys.exit("there is no answer")
    return answer.rstrip("\n")


def go_on_without(error: NoEncryptionError) -> None:
    """Nothing can encrypt here. Never goes on without asking: whoever gave a passphrase relies on it."""
    print(CONTROLS.sub("", error.message))  # what is missing
    if ask("go on without encryption (yes or no)? ", is_secret=False) != "yes":
        sys.exit("nothing was opened")


def unlock(config: Config) -> SyncManager:
    """Asks until the cache is open."""
    while True:
        passphrase = ask("passphrase: ")
        locked: Config = {**config, "encryption_passphrase": passphrase}
        try:
            return SyncManager(**locked)
        except NoEncryptionError as error:
            go_on_without(error)
            return SyncManager(**config)
        except WrongKeyError:
            pass
        try:
            # The same error when the files are not encrypted at all: then they can be opened without a passphrase.
            sm = SyncManager(**config)
        except WrongKeyError:
            print("this passphrase does not open it")
            continue
        try:
            sm.encrypt(encryption_passphrase=passphrase)
            print("the files are encrypted now")
        except NoEncryptionError as error:
            go_on_without(error)
        return sm


def main(config: Config, channel_url: str, change: str = "") -> None:
    with unlock(config) as sm:
        sm.start.connect()
        chat = sm.messages(channel_url)
        chat.fetch()
        newest = chat.items[-1].get("message", "") if chat.items else ""
        print("newest:", CONTROLS.sub("", newest))
        if change == "--change":
            sm.rekey(encryption_passphrase=ask("new passphrase: "))
            print("the old passphrase opens nothing any more")


if __name__ == "__main__":
    try:
        main(json.loads(sys.argv[1]), *sys.argv[2:])
    except SyncManagerError as error:
        sys.exit(str(error))
