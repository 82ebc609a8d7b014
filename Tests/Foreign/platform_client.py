"""The Platform API client (PyPI sendbird-platform-sdk) pointed at a server of ours, otherwise as it comes.

Its models double as a second oracle: they were generated from the platform's public specification, and the client
refuses an answer whose types or enumerated values are not the specified ones. `lacks` adds what it does not check:
which of the specified members an answer has not.
"""

from __future__ import annotations

import json
import pkgutil
from importlib import import_module
from typing import Any

import pytest
import sendbird_platform_sdk
import sendbird_platform_sdk.api as package
from sendbird_platform_sdk import models
from sendbird_platform_sdk.exceptions import ApiException
from sendbird_platform_sdk.model_utils import ModelComposed, ModelNormal

APIS = {
    name: getattr(module, name)
    for module in (import_module(f"{package.__name__}.{m.name}") for m in pkgutil.iter_modules(package.__path__))
    for name in vars(module)
    if name.endswith("Api")
}


def operation(name: str) -> pytest.MarkDecorator:
    return pytest.mark.operation(name)


def fault(name: str, what: str) -> pytest.MarkDecorator:
    return pytest.mark.fault(name, what)


#: Every model of an answer: the members it declares, and those that an answer of this run had.
DECLARED: dict[str, set[str]] = {}
TOLD: dict[str, set[str]] = {}


def note(kinds: Any, answer: Any) -> None:
    """Notes which members of the models an answer has, all the way down."""
    for kind in kinds if isinstance(kinds, (tuple, list)) else ():
        if isinstance(kind, list) and isinstance(answer, list):
            for element in answer:
                note(kind if not isinstance(kind[0], tuple) else kind[0], element)
        elif isinstance(kind, type) and issubclass(kind, (ModelNormal, ModelComposed)) and isinstance(answer, dict):
            members = kind.openapi_types
            DECLARED.setdefault(kind.__name__, set()).update(members)
            TOLD.setdefault(kind.__name__, set()).update(members.keys() & answer.keys())
            for name in members.keys() & answer.keys():
                note(members[name], answer[name])


class Calls:
    """One API class of the client; the token goes with every call, and what is answered is noted."""

    def __init__(self, api: Any, token: str):
        self._api = api
        self._token = token

    def __getattr__(self, name: str) -> Any:
        method = getattr(self._api, name)
        kinds = getattr(self._api, name + "_endpoint").settings["response_type"]

        def call(*args: Any, **kwargs: Any) -> Any:
            got = method(*args, api_token=self._token, **kwargs)
            note(kinds, json.loads(self._api.api_client.last_response.data))
            return got

        return call


class Platform:
    def __init__(self, server: Any):
        self.server = server
        self.client = sendbird_platform_sdk.ApiClient(
            sendbird_platform_sdk.Configuration(host=server.ready["api_host"])
        )
        for name, api in APIS.items():
            setattr(self, name.removesuffix("Api"), Calls(api(self.client), server.ready["api_token"]))

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(name)

    @property
    def answer(self) -> Any:
        """The last answer before the client made objects of it."""
        data = self.client.last_response.data
        return json.loads(data)

    def user(self, user_id: str, nickname: str | None = None, **more: Any) -> Any:
        return self.User.create_a_user(
            create_a_user_request=models.CreateAUserRequest(
                user_id=user_id, nickname=nickname or user_id.title(), profile_url="", **more
            )
        )

    def users(self, *ids: str) -> None:
        for user_id in ids:
            self.user(user_id)

    def channel(self, *ids: str, **fields: Any) -> Any:
        """A group channel of these users, who are made when there are none of that name."""
        return self.GroupChannel.create_a_group_channel(
            create_a_group_channel_request=models.CreateAGroupChannelRequest(
                users=[models.SendbirdUser(user_id=user_id) for user_id in ids], **fields
            )
        )

    def send(self, url: str, user_id: str, message: str = "hello", **fields: Any) -> Any:
        return self.Message.send_a_message(
            channel_type="group_channels",
            channel_url=url,
            send_a_message_request=models.SendAMessageRequest(
                message_type="MESG", user_id=user_id, message=message, **fields
            ),
        )

    def close(self) -> None:
        self.client.rest_client.pool_manager.clear()


def code(caught: pytest.ExceptionInfo[ApiException]) -> int:
    return int(json.loads(caught.value.body)["code"])


def lacks(model: Any, answer: Any, *but: str) -> list[str]:
    """The members that the specification gives a model and an answer does not have."""
    return sorted(set(model.openapi_types) - set(answer) - set(but))
