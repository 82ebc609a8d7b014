"""The tree of errors: a class for each status of the header, with its number, its name, and the JSON path."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

import syncmanager
from syncmanager import SyncManagerError, errors
from syncmanager.blocking import SyncManager
from syncmanager.testing import Server

HEADER = (Path(__file__).resolve().parents[3] / "include/syncmanager.h").read_text()
STATUSES = {name: int(code) for name, code in re.findall(r"^    (SM_ERR_\w+) = (-\d+)", HEADER, re.MULTILINE)}


def test_every_status_of_the_header_has_a_class_of_its_name() -> None:
    assert len(STATUSES) >= 20
    assert {kind.status: errors.make(code, "?").name for code, kind in errors.BY_STATUS.items()} == {
        code: name for name, code in STATUSES.items()
    }
    for name, code in STATUSES.items():
        assert syncmanager.status_name(code) == name
        words = name.removeprefix("SM_ERR_").title().replace("_", "")
        assert type(errors.make(code, name)).__name__ in (words + "Error", "Call" + words + "Error")


@pytest.mark.parametrize("kind", errors.BY_STATUS.values(), ids=lambda kind: kind.__name__)
def test_every_class_can_be_made_raised_and_caught_as_its_bases(kind: Any) -> None:
    for base in kind.__mro__[:-1]:
        with pytest.raises(base) as caught:
            raise errors.make(kind.status, "?", "words", "$.a", {"code": 400301})
        assert (caught.value.code, caught.value.path, caught.value.service_code) == (kind.status, "$.a", 400301)
        assert str(caught.value) == f"{caught.value.name}: words (at $.a) (code 400301)"


@pytest.mark.parametrize("kind", errors.BY_STATUS.values(), ids=lambda kind: kind.__name__)
def test_every_status_has_words_where_nobody_gave_any(kind: Any) -> None:
    error = errors.make(kind.status, "?")
    assert len(error.message) > 10
    assert str(error) == f"{error.name}: {error.message}"


def test_a_status_of_a_later_version_is_a_plain_error() -> None:
    error = errors.make(-98, "SM_ERR_OF_TOMORROW", "words")
    assert type(error) is SyncManagerError
    assert (error.code, error.name) == (-98, "SM_ERR_OF_TOMORROW")


@pytest.mark.parametrize(
    ("call", "path"),
    [
        (lambda sm: sm.channels(limit=1000), "$.limit"),
        (lambda sm: sm.channels(no_such_key=1), "$.no_such_key"),
        (lambda sm: sm.call("mark_as_read", channel_url="c", no_such_key=1), "$.no_such_key"),
        (lambda sm: sm.messages("c", custom_types=["a", 1]), "$.custom_types[1]"),
        (lambda sm: sm.messages("c").send("x", mention_type="all"), "$.mention_type"),
    ],
)
def test_what_is_wrong_in_a_document_is_told_with_its_path(tmp_path: Path, call: Any, path: str) -> None:
    with SyncManager(app_id="A", user_id="mei", data_dir=str(tmp_path)) as sm:
        with pytest.raises(errors.InvalidDocumentError) as caught:
            call(sm)
        assert caught.value.path == path
        assert isinstance(caught.value, ValueError)


def test_what_the_service_refuses_is_told_with_its_code(syncmanager_server: Server, tmp_path: Path) -> None:
    mei = syncmanager_server.create_user("mei")
    syncmanager_server.create_user("bo")
    syncmanager_server.create_channel("c", "mei", "bo")
    syncmanager_server.request("PUT", "/v3/group_channels/c/freeze", {"freeze": True})
    with SyncManager(**syncmanager_server.config(mei, tmp_path, resend_policy="none")) as sm:
        sm.connect(timeout=30)
        with pytest.raises(errors.ServiceError) as caught:
            sm.messages("c").send("x", timeout=30)
        assert caught.value.service_code == 900050
        assert (caught.value.result or {})["call"] == "send_message"
    with (
        SyncManager(**syncmanager_server.config({**mei, "access_token": "wrong"}, tmp_path)) as sm,
        pytest.raises(errors.TokenRejectedError, match="token") as refused,
    ):
        sm.connect(timeout=30)
    assert refused.value.message
