"""Errors: one class for each status of the C interface, in a tree by what a program can do about them.

``SyncManagerError``
    ``ClosedError``; ``CanceledError`` (the program canceled the call); ``InternalError``
    ``UsageError`` (the program is wrong): ``InvalidArgumentError``, ``InvalidHandleError``,
    ``InvalidDocumentError``, ``ReentrantError``, ``ForkedError``, ``DuplicatedFetchError``, ``BusyError``,
    ``TooManyCallsError``
    ``FilesError`` (the data directory): ``LockedError``, ``StorageError``, ``NewerSchemaError``,
    ``CorruptIntentsError``, ``WrongKeyError``, ``NoEncryptionError``
    ``RemoteError`` (the service or the way to it): ``NotConnectedError``, ``NetworkError``, ``ServiceError``,
    ``CallTimeoutError``, ``TokenRejectedError``, ``TooLargeError``
    ``TargetError`` (what the call was about): ``NotFoundError``, ``NotOwnMessageError``, ``RemovedError``
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar


class SyncManagerError(Exception):
    """A call was refused, or ended without success.

    Since 0.1.
    """

    #: The status of the C interface, negative.
    code: int
    #: Its constant, as ``"SM_ERR_CLOSED"``.
    name: str
    #: What was wrong: the message of the library or the service, else the meaning of the status.
    message: str
    #: The JSON path of what was wrong in a document, as ``"$.limit"``, or None.
    path: str | None
    #: The whole result of a call that was accepted and ended without success, or None.
    result: Mapping[str, Any] | None
    #: The service's own code, or the one of docs/errors.md for what did not reach the service; or None.
    service_code: int | None

    status: ClassVar[int] = 0
    #: The meaning, for errors that come without a message.
    words: ClassVar[str] = ""

    def __init__(
        self,
        message: str = "",
        *,
        code: int | None = None,
        name: str = "SM_ERR_UNKNOWN",
        path: str | None = None,
        result: Mapping[str, Any] | None = None,
    ) -> None:
        self.code = self.status if code is None else code
        self.name = _NAMES.get(self.code, name)
        self.message = message = message or self.words
        self.path = path
        self.result = result
        service_code = result.get("code") if result else None
        self.service_code = service_code if isinstance(service_code, int) else None
        parts = [self.name]
        if message:
            parts.append(f": {message}")
        if path and path not in message:
            parts.append(f" (at {path})")
        if self.service_code is not None:
            parts.append(f" (code {self.service_code})")
        super().__init__("".join(parts))


class ClosedError(SyncManagerError):
    """The client is closing, or closed before the call was done. Since 0.1."""

    status = -4
    words = "the client is closing or closed"


class InternalError(SyncManagerError):
    """No thread or descriptor is left, or a fault of the library: report that with the log. Since 0.1."""

    status = -99
    words = "a fault of the library"


class UsageError(SyncManagerError):
    """The program used the library wrongly. Since 0.1."""


class InvalidArgumentError(UsageError, ValueError):
    """A value is out of range, or a text too long; of a send: its ``request_id`` is in use. Since 0.1."""

    status = -1
    words = "a value is out of range or a text too long"


class InvalidHandleError(UsageError):
    """The object was removed before. Since 0.1."""

    status = -2
    words = "it was removed before"


class InvalidDocumentError(UsageError, ValueError):
    """A configuration, query, filter or message has an unknown key or a wrong value; ``path`` says where. Since 0.1."""

    status = -3
    words = "a document has an unknown key or a wrong value"


class ReentrantError(UsageError):
    """The call would wait for the listener it was called from. Since 0.1."""

    status = -5
    words = "this would wait for the listener that it is called from"


class ForkedError(UsageError):
    """This process is a fork of the one that opened the client. Since 0.1."""

    status = -6
    words = "this process is a fork of the one that opened the client"


class DuplicatedFetchError(UsageError):
    """A fetch in that direction is under way. Since 0.1."""

    status = -7
    words = "a fetch in that direction is under way"


class BusyError(UsageError):
    """Another thread is draining this client's events. Since 0.1."""

    status = -20
    words = "another thread is draining this client's events"


class TooManyCallsError(UsageError):
    """Too many calls wait for the engine, or their results are not drained. Since 0.1."""

    status = -21
    words = "too many calls wait to be done or drained"


class CanceledError(SyncManagerError):
    """The program canceled the call; what the service was asked it may still do. Since 0.1."""

    status = -22
    words = "the program canceled the call"


class FilesError(SyncManagerError):
    """The files in the data directory cannot be used. Since 0.1."""


class LockedError(FilesError):
    """Another client, in this process or another, uses this user's files; the message has its pid. Since 0.1."""

    status = -8
    words = "another client has this user's files"


class StorageError(FilesError, OSError):
    """The data directory cannot be made, read or written, or is full. Since 0.1."""

    status = -9
    words = "the data directory cannot be made, read or written, or is full"


class NewerSchemaError(FilesError):
    """A later version of the library wrote the files. Since 0.1."""

    status = -10
    words = "a later version of the library wrote the files"


class CorruptIntentsError(FilesError):
    """The file of unsent messages is damaged; the library never removes it by itself. Since 0.1."""

    status = -11
    words = "the file of unsent messages is damaged"


class WrongKeyError(FilesError):
    """The key does not open this user's files, is missing, or they are not encrypted. Nothing was touched. Since
    0.1."""

    status = -24
    words = "the key does not open this user's files"


class NoEncryptionError(FilesError):
    """A key was given, and there is no library that can use it; the message says what was found. Since 0.1."""

    status = -25
    words = "there is no library that can encrypt"


class RemoteError(SyncManagerError):
    """The service refused or could not be reached. Since 0.1."""


class NotConnectedError(RemoteError):
    """The call needs a connection and there is none. Since 0.1."""

    status = -12
    words = "the call needs a connection and there is none"


class NetworkError(RemoteError):
    """The service did not answer. Since 0.1."""

    status = -13
    words = "the service did not answer"


class ServiceError(RemoteError):
    """The service refused; ``service_code`` and ``message`` are its own. Since 0.1."""

    status = -14
    words = "the service refused"


class CallTimeoutError(RemoteError, TimeoutError):
    """Nothing came within the call's deadline. It is a ``TimeoutError`` too, which from Python 3.11 on is also
    ``asyncio.TimeoutError``: where ``wait_for`` and a call stand in one ``try``, catch this one first. Since 0.1."""

    status = -15
    words = "nothing came within the call's deadline"


class TokenRejectedError(RemoteError):
    """The access token is missing, wrong or revoked; answer with ``set_token``. Since 0.1."""

    status = -19
    words = "the access token is missing, wrong or revoked"


class TooLargeError(RemoteError):
    """The service's answer is too large: more than 64 MiB, or more than 128 MiB with all others in flight. Since
    0.1."""

    status = -23
    words = "the service's answer is larger than is taken"


class TargetError(SyncManagerError):
    """The call is not possible with this channel, message or collection. Since 0.1."""


class NotFoundError(TargetError, LookupError):
    """No such channel or message. Since 0.1."""

    status = -16
    words = "there is no such channel or message"


class NotOwnMessageError(TargetError):
    """Only messages of this user can be changed. Since 0.1."""

    status = -17
    words = "only messages of this user can be changed"


class RemovedError(TargetError):
    """The collection was removed, or the message given up, before the call was done. Since 0.1."""

    status = -18
    words = "the collection was removed, or the message given up, before the call was done"


def _leaves(kind: type[SyncManagerError]) -> list[type[SyncManagerError]]:
    below = [leaf for child in kind.__subclasses__() for leaf in _leaves(child)]
    return [kind, *below] if kind.status else below


def _constant(kind: type[SyncManagerError]) -> str:
    words = "".join("_" + letter if letter.isupper() else letter for letter in kind.__name__)
    return "SM_ERR" + words.removesuffix("_Error").replace("_Call_Timeout", "_Timeout").upper()


#: The class of each status.
BY_STATUS: dict[int, type[SyncManagerError]] = {kind.status: kind for kind in _leaves(SyncManagerError)}
_NAMES = {status: _constant(kind) for status, kind in BY_STATUS.items()}


def make(
    code: int,
    name: str,
    message: str = "",
    path: str | None = None,
    result: Mapping[str, Any] | None = None,
) -> SyncManagerError:
    """The error of a status; a status of a later version becomes a plain ``SyncManagerError``."""
    return BY_STATUS.get(code, SyncManagerError)(message, code=code, name=name, path=path, result=result)
