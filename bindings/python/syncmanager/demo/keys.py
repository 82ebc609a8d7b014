"""The keys: one table, from which come the bindings, the foot of the screen, the help screen and `--help`."""

from __future__ import annotations

from typing import NamedTuple


class Key(NamedTuple):
    """A key, or two that belong together."""

    keys: tuple[str, ...]
    #: What is done, for each key.
    actions: tuple[str, ...]
    told: str
    #: What the foot of the screen calls it, if it is named there.
    short: str = ""


KEYS = (
    Key(("enter",), (), "sends what is written; opens the channel, or what was found"),
    Key(("up", "down"), ("choose(-1)", "choose(1)"), "choose a message, a channel or a result; the mouse does, too"),
    Key(("pageup", "pagedown"), ("page(-1)", "page(1)"), "move the list; older messages are loaded at its top"),
    Key(("ctrl+home", "ctrl+end"), ("oldest", "newest"), "show the first message, and the newest"),
    Key(("escape",), ("leave",), "goes back: ends what is being written, the choice, the thread"),
    Key(("ctrl+k",), ("jump",), "jumps to a channel by a part of its name", "Jump"),
    Key(("ctrl+f",), ("search",), "searches the messages of all channels while one types", "Search"),
    Key(("ctrl+n", "ctrl+p"), ("neighbour(1)", "neighbour(-1)"), "show the next and the previous channel"),
    Key(("ctrl+o",), ("older",), "loads older messages"),
    Key(("ctrl+y",), ("reply",), "answers the chosen message in the channel", "Reply"),
    Key(("ctrl+t",), ("thread",), "opens the thread of the chosen message, and closes it", "Thread"),
    Key(("f2",), ("edit",), "edits the chosen message", "Edit"),
    Key(("f3",), ("react",), "reacts to the chosen message, and takes that back", "React"),
    Key(("f4",), ("file",), "sends a file by its path", "File"),
    Key(("f5",), ("resend",), "sends the chosen message again; without one, all of the chat that failed"),
    Key(("f6",), ("save",), "saves the files of the chosen message; pressed again, stops that"),
    Key(("f7",), ("poll",), "answers the chosen poll; without one, asks something"),
    Key(("f8",), ("delete",), "deletes the chosen message; of one that is being sent, stops that", "Delete"),
    Key(("ctrl+r",), ("connection",), "goes offline, and connects again"),
    Key(("f1",), ("help",), "shows the keys", "Help"),
    Key(("ctrl+q",), ("quit",), "ends the program", "Quit"),
)


def table() -> list[tuple[str, str]]:
    """The keys, and what they do."""
    return [(", ".join(key.keys), key.told) for key in KEYS]


def text() -> str:
    """The same as lines."""
    width = max(len(keys) for keys, _ in table())
    return "\n".join(f"{keys:<{width}}  {told}" for keys, told in table())
