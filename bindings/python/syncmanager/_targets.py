"""What actions are asked for: a message of a list, or its id."""

from __future__ import annotations

from typing import Any

from . import errors
from .documents import Message, MessageId


def message_id_of(target: Message | MessageId) -> MessageId:
    """The id of a message that the service has."""
    if isinstance(target, (int, str)):
        return target
    if "status" in target:
        raise errors.InvalidArgumentError(f"the message is {target['status']}: the service does not have it")
    return target["message_id"]


def given(action: str, arguments: dict[str, Any]) -> dict[str, Any]:
    """The document of an action. None stands for what was not given."""
    return {"action": action, **{name: value for name, value in arguments.items() if value is not None}}
