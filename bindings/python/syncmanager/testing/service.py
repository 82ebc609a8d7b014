"""What a test does as other users of a chat service, and to the service itself."""

from __future__ import annotations

import json
import urllib.parse
from abc import ABC, abstractmethod
from typing import Any, Literal, TypedDict, Union, cast

from ..documents import Message, MessageId

Fault = Literal["429", "5xx", "garbage", "half_body", "close"]


class Account(TypedDict):
    """A user who can log in. Since 0.1."""

    user_id: str
    access_token: str


#: A user, by id or by account.
AnyUser = Union[str, Account]


def _id(user: AnyUser) -> str:
    return user if isinstance(user, str) else user["user_id"]


class ServerError(Exception):
    """The server refused a request of the administration, or could not be started.

    ``status`` is the HTTP status (0 when it could not be started), ``code`` the service's own. Since 0.1.
    """

    def __init__(self, message: str, status: int = 0, code: int | None = None) -> None:
        super().__init__(message)
        self.status = status
        self.code = code


def _taken(method: str, path: str, status: int, answer: str) -> Any:
    """The JSON of an answer; None when it is empty. Raises ServerError for a refusal."""
    if status < 400:
        return json.loads(answer) if answer else None
    try:
        code = json.loads(answer).get("code")
    except (ValueError, AttributeError):
        code = None
    raise ServerError(f"{method} {path}: {status} {answer}", status, code)


class Service(ABC):
    """What ``Server`` and ``World`` have in common: acts of other users, and faults of the service. Since 0.1."""

    @abstractmethod
    def ask(self, method: str, target: str, body: str | None = None, *, database: bool = False) -> tuple[int, str]:
        """A request as it is, to the service or to its realtime database, with all rights: ``target`` is
        percent-encoded, ``body`` is JSON. Gives the HTTP status and the answer."""

    def request(self, method: str, path: str, body: object = None, **query: object) -> dict[str, Any]:
        """A REST call of the administration, as ``request("GET", "/v3/users")``. Raises ServerError."""
        target = path + ("?" + urllib.parse.urlencode(query) if query else "")
        status, answer = self.ask(method, target, None if body is None else json.dumps(body))
        return cast("dict[str, Any]", _taken(method, path, status, answer) or {})

    def database(self, method: str, path: str, body: object = None) -> Any:
        """A request of the administration to the realtime database: ``database("PUT", "/rooms/a", {"name": "A"})``.

        Gives what the database answers. Raises ServerError. Since 0.1.
        """
        target = f"{path if path.startswith('/') else '/' + path}.json?ns=test"
        content = None if method in ("GET", "DELETE") else json.dumps(body)
        return _taken(method, path, *self.ask(method, target, content, database=True))

    # Other users

    def session_key(self, user_id: AnyUser) -> str:
        """A session key of a user, by which the realtime database knows the user. ``revoke_tokens`` ends it."""
        return cast(str, self.request("POST", f"/v3/users/{urllib.parse.quote(_id(user_id))}/token", {})["token"])

    def create_user(self, user_id: str, nickname: str | None = None) -> Account:
        """A user who can log in."""
        body = {
            "user_id": user_id,
            "nickname": user_id if nickname is None else nickname,
            "profile_url": "",
            "access_token": "token-" + user_id,
        }
        user = self.request("POST", "/v3/users", body)
        return {"user_id": user_id, "access_token": user["access_token"]}

    def channel(self, channel_url: str) -> str:
        """The REST path of a channel."""
        return "/v3/group_channels/" + urllib.parse.quote(channel_url, safe="")

    def create_channel(self, channel_url: str, *users: AnyUser, **more: object) -> str:
        """A channel with members, by their ids or accounts; ``more`` as in the Platform API, as ``name="Lunch"``."""
        body = {"channel_url": channel_url, "user_ids": [_id(user) for user in users], **more}
        self.request("POST", "/v3/group_channels", body)
        return channel_url

    def post(self, channel_url: str, user_id: AnyUser, text: str, **more: object) -> Message:
        """A message of a user; ``more`` as in the Platform API."""
        body = {"message_type": "MESG", "user_id": _id(user_id), "message": text, **more}
        return cast(Message, self.request("POST", self.channel(channel_url) + "/messages", body))

    def post_many(self, channel_url: str, user_id: AnyUser, count: int) -> list[int]:
        """That many messages, told to clients as if sent one by one; gives their ids."""
        answer = self.control("post_messages", channel_url=channel_url, user_id=_id(user_id), count=count)
        return cast("list[int]", answer["message_ids"])

    def edit(self, channel_url: str, message_id: MessageId, text: str) -> Message:
        """Changes the text of a message."""
        body = {"message_type": "MESG", "message": text}
        return cast(Message, self.request("PUT", f"{self.channel(channel_url)}/messages/{message_id}", body))

    def delete(self, channel_url: str, message_id: MessageId) -> None:
        """Deletes a message."""
        self.request("DELETE", f"{self.channel(channel_url)}/messages/{message_id}")

    def set_typing(self, channel_url: str, user_id: AnyUser, typing: bool = True) -> None:
        """Lets a user begin or end typing."""
        self.request(
            "POST" if typing else "DELETE", self.channel(channel_url) + "/typing", {"user_ids": [_id(user_id)]}
        )

    def messages(self, channel_url: str) -> list[Message]:
        """All messages of a channel, oldest first, replies in threads included."""
        result: list[Message] = []
        since = 0
        while True:
            page: list[Message] = self.request(
                "GET",
                self.channel(channel_url) + "/messages",
                None,
                message_ts=since,
                prev_limit=0,
                next_limit=200,
                include="true",
                include_reply_type="all",
            )["messages"]
            known = {message["message_id"] for message in result[-1000:]}
            fresh = [message for message in page if message["message_id"] not in known]
            if not fresh:
                return result
            result += fresh
            since = fresh[-1]["created_at"]

    # Its faults

    def control(self, verb: str, **body: object) -> dict[str, Any]:
        """A request to the control endpoint (docs/server.md), for those without a method here."""
        return self.request("POST", "/control/" + verb, body)

    def fault(
        self,
        kind: Fault,
        count: int = 1,
        *,
        path_contains: str = "",
        status: int | None = None,
        retry_after: int | None = None,
        executes: bool | None = None,
    ) -> None:
        """The next ``count`` requests whose target holds ``path_contains`` fail: "429" and "5xx" are not executed,
        "garbage" and "half_body" are, but their answer is damaged, "close" is not answered. ``retry_after`` in s."""
        chosen = {"status": status, "retry_after": retry_after, "executes": executes}
        more = {key: value for key, value in chosen.items() if value is not None}
        self.control("fault", kind=kind, count=count, path_contains=path_contains, **more)

    def clear_faults(self) -> None:
        """Ends faults, delays, refused connections and lost acknowledgements."""
        self.control("clear_faults")

    def refuse_connections(self, on: bool = True) -> None:
        """Closes requests and new sockets without an answer; open sockets stay, see ``drop_sockets``."""
        self.control("refuse_connections", on=on)

    def drop_sockets(self, user_id: AnyUser | None = None) -> int:
        """Ends the sockets of a user or of all, without a close frame; returns their number."""
        more = {} if user_id is None else {"user_id": _id(user_id)}
        return int(self.control("drop_sockets", **more)["dropped"])

    def delay(self, ms: int, path_prefix: str = "") -> None:
        """REST answers come that much later; 0 ends it."""
        self.control("delay", ms=ms, path_prefix=path_prefix)

    def lose_next_ack(self, count: int = 1) -> None:
        """The next messages that are sent are stored and told, but their sender gets no acknowledgement."""
        self.control("lose_next_ack", count=count)

    def expire_session_keys(self, user_id: AnyUser | None = None) -> None:
        """Session keys run out now."""
        more = {} if user_id is None else {"user_id": _id(user_id)}
        self.control("expire_session_keys", **more)

    def revoke_tokens(self, user_id: AnyUser | None = None) -> list[Account]:
        """Revokes tokens and ends their sessions; gives the users with new tokens."""
        more = {} if user_id is None else {"user_id": _id(user_id)}
        users = self.control("revoke_tokens", **more)["users"]
        return [{"user_id": user["user_id"], "access_token": user["access_token"]} for user in users]

    def advance_clock(self, ms: int) -> None:
        """Moves the server's clock forward."""
        self.control("advance_clock", ms=ms)

    def received(self) -> list[dict[str, Any]]:
        """The last ten thousand requests and socket frames that came in."""
        return cast("list[dict[str, Any]]", self.request("GET", "/control/received")["received"])
