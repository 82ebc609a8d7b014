"""A client of the socket side that nobody here wrote: PyPI Reddit-ChatBot-Python 1.4.9 (Apache 2.0, Python over
websocket-client and requests). It was made for one service on this platform, whose addresses are written into it; they
are replaced by the server's, and its login by an object with the user's token. Everything else is as it comes.
"""

from __future__ import annotations

import json
import queue
import threading
from types import SimpleNamespace
from typing import Any, Callable, Iterator

import pytest
import Reddit_ChatBot_Python._api.tools as tools
import Reddit_ChatBot_Python._ws_client as ws_client
from Reddit_ChatBot_Python import ChatBot
from Reddit_ChatBot_Python._utils.consts import SB_AI
from Reddit_ChatBot_Python._utils.exceptions import APIException
from Reddit_ChatBot_Python._utils.frame_model import FrameType

WAIT = 10
#: The bot's user, as far as making a channel with it goes.
ROBO = SimpleNamespace(id="robo")


class Login:
    """What the client asks of its own login."""

    is_reauthable = False
    api_token = ""

    def __init__(self, user: Any):
        self.user_id = user.id
        self.sb_access_token = user.token

    def authenticate(self) -> dict[str, str]:
        return {"sb_access_token": self.sb_access_token, "user_id": self.user_id}


class Bot:
    """The client, running, with its events in queues."""

    def __init__(self, user: Any):
        self.chat = ChatBot(Login(user), store_session=False, print_chat=False, other_logging=False)
        self.ready = threading.Event()
        self.errors: "queue.Queue[Any]" = queue.Queue()
        self.chat.event.on_ready(lambda _: self.ready.set())
        self.chat.event.on_any(self.errors.put, FrameType.EROR)
        self.thread = threading.Thread(target=self.chat.run_4ever, kwargs={"auto_reconnect": False}, daemon=True)

    def start(self) -> "Bot":
        self.thread.start()
        assert self.ready.wait(WAIT), "the client was not told LOGI"
        return self

    def events(self, register: Callable[..., Any]) -> "queue.Queue[Any]":
        found: "queue.Queue[Any]" = queue.Queue()
        register(lambda frame: found.put(frame) and None)
        return found

    def stop(self) -> None:
        self.chat.close()
        self.thread.join(WAIT)
        assert not self.thread.is_alive()


@pytest.fixture
def world(start: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[Any, Any, Bot]]:
    server = start("--app-id", SB_AI)
    monkeypatch.setattr(tools, "SB_PROXY_CHATMEDIA", server.ready["api_host"])
    original = ws_client.get_ws_url
    monkeypatch.setattr(
        ws_client,
        "get_ws_url",
        lambda *args: server.ready["ws_host"] + "/?" + original(*args).split("/?", 1)[1],
    )
    ann = server.user("ann", "Ann")
    robo = server.user("robo", "Robo")
    bot = Bot(robo)
    yield server, ann, bot
    if bot.thread.ident:
        bot.stop()


def body(text: str) -> str:
    return json.dumps({"v1": {"message_body": text}})


def test_login_and_channels(world: tuple[Any, Any, Bot]) -> None:
    server, ann, bot = world
    group = ann.channel(ROBO, name="Tea", custom_type="group")
    ann.channel(ROBO, name="", custom_type="direct")
    bot.start()
    assert bot.chat.get_own_name() == "Robo" and bot.chat.get_own_userid() == "robo"
    assert sorted(bot.chat.get_chatroom_name_id_pairs().values()) == ["Ann", "Tea"]
    tea = next(c for c in bot.chat.get_current_channels() if c.name == "Tea")
    assert (tea.channel_url, tea.member_count, tea.member_state.value, tea.channel.name) == (group, 2, "joined", "Tea")
    assert tea.inviter.user_id == "ann" and sorted(m.user_id for m in tea.members) == ["ann", "robo"]


def test_messages_both_ways(world: tuple[Any, Any, Bot]) -> None:
    server, ann, bot = world
    url = ann.channel(ROBO, custom_type="group", operator_ids=["ann", "robo"])
    a = ann.connect()
    heard = bot.events(bot.chat.event.on_message)
    reads = bot.events(bot.chat.event.on_user_read)
    typing = bot.events(bot.chat.event.on_user_typing)
    gone = bot.events(bot.chat.event.on_message_deleted)
    reactions = bot.events(bot.chat.event.on_reaction)
    bot.chat.set_respond_hook("ping", "pong to {nickname}")
    bot.start()
    a.send("MESG", channel_url=url, message="ping", data=body("ping"), req_id="1")
    first = heard.get(timeout=WAIT)
    assert first.message == "ping" and first.user.name == "Ann" and first.data.v1.message_body == "ping"
    answer = a.wait("MESG", lambda m: m.get("user", {}).get("user_id") == "robo")
    assert answer["message"] == "pong to Ann" and json.loads(answer["data"])["v1"]["message_body"] == "pong to Ann"
    # The client's own message comes back with the number it gave it.
    own = heard.get(timeout=WAIT)
    assert own.message == "pong to Ann" and isinstance(own.req_id, int)
    bot.chat.send_gif("https://g/x.gif", url)
    assert json.loads(a.wait("MESG", lambda m: m["message"] == "")["data"])["v1"]["gif"]["url"] == "https://g/x.gif"
    bot.chat.send_typing_indicator(url)
    assert a.system(10900)["data"]["user_id"] == "robo"
    bot.chat.stop_typing_indicator(url)
    assert a.system(10901)["data"]["user_id"] == "robo"
    a.send("TPST", channel_url=url, time=1)
    assert typing.get(timeout=WAIT).data.nickname == "Ann"
    a.send("READ", channel_url=url, req_id="2")
    assert reads.get(timeout=WAIT).user.user_id == "ann"
    ann.rest.post(f"{url.path}/messages/{first.msg_id}/reactions", {"reaction": "up"})
    assert reactions.get(timeout=WAIT).reaction == "up"
    older = bot.chat.get_older_messages(url)
    assert [m.message for m in older] == ["", "pong to Ann", "ping"] and older[2].user.user_id == "ann"
    bot.chat.delete_message(url, older[1].message_id)
    assert gone.get(timeout=WAIT).msg_id == older[1].message_id
    assert a.wait("DELM")["msg_id"] == older[1].message_id
    bot.chat.send_message("x", "nowhere")
    assert bot.errors.get(timeout=WAIT).code == 900500


def test_members_come_and_go(world: tuple[Any, Any, Bot]) -> None:
    server, ann, bot = world
    cho = server.user("cho", "Cho")
    url = ann.channel(ROBO, custom_type="group", operator_ids=["ann", "robo"])
    joined = bot.events(bot.chat.event.on_user_joined)
    left = bot.events(bot.chat.event.on_user_left)
    invited = bot.events(bot.chat.event.on_invitation)
    bot.chat.set_welcome_message("hello {nickname}, thanks {inviter}")
    bot.chat.set_farewell_message("bye {nickname}")
    a = ann.connect()
    bot.start()
    ann.rest.post(url.path + "/invite", {"user_ids": ["cho"]})
    came = joined.get(timeout=WAIT)
    assert came.data.users[0].nickname == "Cho" and came.data.users[0].inviter.nickname == "Ann"
    assert a.wait("MESG")["message"] == "hello Cho, thanks Ann"
    assert [m.user_id for m in bot.chat.get_members(url).members] == ["ann", "cho", "robo"]
    bot.chat.mute_user(url, "cho", 60, "loud")
    assert a.system(10201)["data"]["description"] == "loud"
    bot.chat.unmute_user(url, "cho")
    cho.rest.put(url.path + "/leave", {})
    assert left.get(timeout=WAIT).data.nickname == "Cho"
    assert a.wait("MESG")["message"] == "bye Cho"
    ann.rest.post(url.path + "/ban", {"user_id": "cho", "description": "why"})
    banned = bot.chat.get_banned_members(url).banned_list
    assert [(b.user.user_id, b.description) for b in banned] == [("cho", "why")]
    server.admin.put("/v3/users/robo/channel_invitation_preference", {"auto_accept": False})
    other = ann.channel(ROBO, name="Invited", custom_type="group")
    assert invited.get(timeout=WAIT).channel_url == other
    assert [c.name for c in bot.chat.get_chat_invites()] == ["Invited"]
    assert bot.chat.accept_chat_invite(other).member_state.value == "joined"
    # The bot greets itself from a thread of its own, and a message would show the channel again once it is hidden.
    assert a.wait("MESG", lambda m: m["channel_url"] == other)["message"] == "hello Robo, thanks Ann"
    assert bot.chat.rename_channel("Renamed", url).name == "Renamed"
    bot.chat.set_channel_frozen_status(url, True)
    assert ann.rest.get(url.path)["freeze"] is True
    bot.chat.hide_chat(other)
    assert [c.channel_url for c in bot.chat.get_channels()] == [url]
    bot.chat.unhide_chat(other)
    bot.chat.leave_chat(other)
    assert list(bot.chat.get_chatroom_name_id_pairs()) == [url]
    bot.chat.delete_channel(url)
    with pytest.raises(APIException):
        bot.chat.get_members(url)


def test_a_refused_login(world: tuple[Any, Any, Bot]) -> None:
    server, ann, _ = world
    bot = Bot(SimpleNamespace(id="ann", token="wrong"))
    told = bot.events(lambda hook: bot.chat.event.on_any(hook, FrameType.LOGI))
    bot.thread.start()
    frame = told.get(timeout=WAIT)
    assert frame.error is True and frame.code == 400302
    bot.thread.join(WAIT)
    assert not bot.thread.is_alive() and not bot.ready.is_set()


def test_a_websocket_library(start: Callable[..., Any]) -> None:
    """PyPI websockets, which checks frames, masks, closes and compression offers itself."""
    from websockets.sync.client import connect

    server = start()
    ann, robo = server.user("ann"), server.user("robo")
    url = ann.channel(robo)
    query = f"/?ai=syncmanager&user_id=ann&access_token={ann.token}"
    with connect(server.ready["ws_host"] + query, open_timeout=WAIT, ping_interval=None) as socket:
        greeting = socket.recv(WAIT)
        assert greeting.startswith("LOGI{") and json.loads(greeting[4:])["user_id"] == "ann"
        socket.ping().wait(WAIT)
        for text in ("hello", "é👋" * 30_000):
            socket.send("MESG" + json.dumps({"channel_url": url, "message": text, "req_id": "r" + text[:2]}) + "\n")
            while True:
                frame = socket.recv(WAIT)
                if frame.startswith("MESG"):
                    break
            assert json.loads(frame[4:])["message"] == text and json.loads(frame[4:])["req_id"] == "r" + text[:2]
        # In pieces, and as bytes.
        socket.send(["MESG", json.dumps({"channel_url": url, "message": "pieces", "req_id": "p"}), "\n"])
        assert json.loads(socket.recv(WAIT)[4:])["message"] == "pieces"
        socket.send(b"PING" + json.dumps({"id": 1}).encode() + b"\n")
        assert socket.recv(WAIT).startswith("PONG")
    assert socket.close_code == 1000
