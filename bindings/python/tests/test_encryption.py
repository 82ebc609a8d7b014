"""Encrypted files, where the system has a fitting SQLCipher; where it has none, the error that says so."""

from __future__ import annotations

import contextlib
import json
import select
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from syncmanager import errors
from syncmanager.blocking import SyncManager

KEY = "0f" * 32
PATIENCE = 30
PASSPHRASE = "korrekt pferd battery staple"
PLANTED = "a word that nobody else reads"
INSPECT = Path(__file__).resolve().parents[3] / "build/bin/syncmanager-inspect"


def config(tmp_path: Path, **more: Any) -> Any:
    return {"app_id": "A", "user_id": "mei", "data_dir": str(tmp_path), **more}


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """Beside the server's own files."""
    return tmp_path / "data"


@pytest.fixture(name="lunch")
def lunch_with_a_message(lunch: Any) -> Any:
    lunch.post("lunch", "bo", PLANTED)
    return lunch


def readable(data: Path, word: str) -> list[str]:
    return [file.name for file in data.rglob("*") if file.is_file() and word.encode() in file.read_bytes()]


def opened(configuration: Any) -> SyncManager:
    refused: errors.NoEncryptionError
    try:
        return SyncManager(**configuration)
    except errors.NoEncryptionError as error:
        refused = error
    assert refused.message.startswith("encryption needs SQLCipher 4.6 or later: ")
    assert not list(Path(configuration["data_dir"]).rglob("*.db*")), "something was written"
    pytest.skip(refused.message)


def cached(sm: SyncManager) -> list[str]:
    chat = sm.messages("lunch")
    chat.fetch(timeout=PATIENCE)
    texts = [message["message"] for message in chat.items]
    chat.remove()
    return texts


def to_the_oldest(sm: SyncManager, most: int = sys.maxsize) -> list[str]:
    """The texts of the channel's messages, page by page until there are as many or no more."""
    chat = sm.messages("lunch", limit=100)
    while chat.fetch(timeout=PATIENCE).has_more and len(chat.items) < most:
        pass
    return [message["message"] for message in chat.items]


def filled(lunch: Any, data: Path, **more: Any) -> SyncManager:
    sm = opened(lunch.config(lunch.mei, data, **more))
    sm.connect(timeout=PATIENCE)
    assert cached(sm) == [PLANTED]
    return sm


@pytest.mark.parametrize("key", [{"encryption_key": KEY}, {"encryption_passphrase": PASSPHRASE}])
def test_only_the_key_opens_the_files(lunch: Any, data: Path, key: Any) -> None:
    with filled(lunch, data, **key) as sm:
        assert "encrypt" not in str(sm.call("options", timeout=PATIENCE))
        assert readable(data, PLANTED) == []
    assert readable(data, PLANTED) == []
    assert readable(data, "SQLite format") == []
    plain = lunch.config(lunch.mei, data)
    wrong: Any
    for wrong in ({}, {"encryption_key": "1f" * 32}, {"encryption_passphrase": "another"}):
        with pytest.raises(errors.WrongKeyError) as error:
            SyncManager(**plain, **wrong)
        assert "1f1f" not in str(error.value) and "another" not in str(error.value)
    with SyncManager(**plain, **key) as sm:
        assert cached(sm) == [PLANTED]


def test_plain_files_are_encrypted(lunch: Any, data: Path) -> None:
    opened(config(data.parent / "other", encryption_key=KEY)).close()
    plain = lunch.config(lunch.mei, data)
    with filled(lunch, data, search=True) as sm:
        assert readable(data, PLANTED)
        chat = sm.messages("lunch")
        chat.fetch(timeout=PATIENCE)
        sm.call("encrypt", encryption_key=KEY, timeout=PATIENCE)
        assert readable(data, PLANTED) == []
        lunch.post("lunch", "bo", "later")
        for _ in chat:
            break
        assert [message["message"] for message in chat.items] == [PLANTED, "later"]
        found = sm.search("later")
        found.fetch(timeout=PATIENCE)
        assert len(found.items) == 1, "the index is kept up with what comes later"
        with pytest.raises(errors.InvalidArgumentError):
            sm.call("encrypt", encryption_key=KEY, timeout=PATIENCE)
    with pytest.raises(errors.WrongKeyError):
        SyncManager(**plain)
    with SyncManager(**plain, encryption_key=KEY) as sm:
        assert cached(sm) == [PLANTED, "later"]


@pytest.mark.parametrize("full", [False, True])
def test_another_key(lunch: Any, data: Path, full: bool) -> None:
    plain = lunch.config(lunch.mei, data)
    with filled(lunch, data, encryption_key=KEY) as sm:
        sm.call("rekey", encryption_passphrase=PASSPHRASE, full=full, timeout=PATIENCE)
        assert cached(sm) == [PLANTED]
    with pytest.raises(errors.WrongKeyError):
        SyncManager(**plain, encryption_key=KEY)
    with SyncManager(**plain, encryption_passphrase=PASSPHRASE) as sm:
        assert cached(sm) == [PLANTED]


ENCRYPTS = """
import json, sys
from syncmanager.blocking import SyncManager

sm = SyncManager(**json.loads(sys.argv[1]))
print("open", flush=True)
sys.stdin.readline()
sm.call("encrypt", encryption_key=sys.argv[2], timeout=60)
print("done", flush=True)
sys.stdin.readline()
"""


def names_and_sizes(data: Path) -> list[tuple[str, bool]]:
    """The files, and whether something is in them."""
    found = []
    for file in data.rglob("*"):
        with contextlib.suppress(FileNotFoundError):
            found.append((file.name, file.stat().st_size > 0))
    return sorted(found)


def killed_at(step: int, configuration: Any, data: Path) -> bool:
    """Kills a program that encrypts its files when they have changed so many times. False: it had done it by then."""
    program = subprocess.Popen(
        [sys.executable, "-c", ENCRYPTS, json.dumps(configuration), KEY],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    )
    with program:
        assert program.stdin is not None and program.stdout is not None
        assert program.stdout.readline() == "open\n"
        seen = names_and_sizes(data)
        program.stdin.write("\n")
        program.stdin.flush()
        changes = 0
        while changes < step and not select.select([program.stdout], [], [], 0)[0]:
            now = names_and_sizes(data)
            changes += now != seen
            seen = now
        program.kill()
    return changes == step


def test_a_kill_while_it_encrypts_loses_nothing(lunch: Any, data: Path) -> None:
    opened(config(data.parent / "other", encryption_key=KEY)).close()
    plain = lunch.config(lunch.mei, data, message_collection_capacity=10_000)
    lunch.post_many("lunch", "bo", 3000)
    with SyncManager(**plain) as sm:
        sm.connect(timeout=PATIENCE)
        texts = to_the_oldest(sm)
    assert len(texts) == 3001
    before = data.parent / "before"
    data.rename(before)
    ends: set[str] = set()
    kills = 0
    while True:
        shutil.rmtree(data, ignore_errors=True)
        shutil.copytree(before, data)
        if not killed_at(kills + 1, plain, data):
            break
        kills += 1
        try:
            sm = SyncManager(**plain, encryption_key=KEY)
        except errors.WrongKeyError:
            sm = SyncManager(**plain)
            ends.add("plain")
        else:
            ends.add("encrypted")
            assert readable(data, PLANTED) == []
        with sm:
            assert to_the_oldest(sm, most=len(texts)) == texts
    assert kills > 5, "it was killed too rarely"
    assert ends == {"plain", "encrypted"}


def test_a_key_does_not_fit_plain_files(tmp_path: Path) -> None:
    SyncManager(**config(tmp_path)).close()
    with pytest.raises(errors.WrongKeyError, match="call encrypt"):
        SyncManager(**config(tmp_path, encryption_key=KEY))
    with SyncManager(**config(tmp_path)) as sm:
        wrong: Any
        for wrong in ({}, {"encryption_key": KEY, "encryption_passphrase": "a"}, {"encryption_key": "secret"}):
            with pytest.raises(errors.InvalidArgumentError) as error:
                sm.call("encrypt", **wrong, timeout=PATIENCE)
            assert "secret" not in str(error.value)
        with pytest.raises(errors.InvalidArgumentError, match="call encrypt"):
            sm.call("rekey", encryption_key=KEY, timeout=PATIENCE)


def test_nothing_on_the_disk_needs_no_key(tmp_path: Path) -> None:
    in_memory = config(tmp_path, cache="none", encryption_key=KEY)
    with SyncManager(**in_memory) as sm, pytest.raises(errors.InvalidArgumentError, match="in memory"):
        sm.call("encrypt", encryption_key=KEY, timeout=PATIENCE)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(not INSPECT.exists(), reason="the wheel does not have syncmanager-inspect")
def test_the_inspector_needs_the_key(lunch: Any, data: Path) -> None:
    filled(lunch, data, encryption_passphrase=PASSPHRASE).close()
    file = data.parent / "key"

    def inspect(*more: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [INSPECT, "--texts", *more, data], capture_output=True, text=True, timeout=60, check=False
        )

    found = inspect()
    assert (found.returncode, found.stdout) == (1, "")
    assert "is encrypted, and no key was given" in found.stderr
    file.write_text("wrong\n")
    assert "the key does not open" in inspect("--key-file", str(file)).stderr
    file.write_text(PASSPHRASE + "\n")
    found = inspect("--key-file", str(file))
    assert (found.returncode, found.stderr) == (0, "")
    assert PLANTED in found.stdout and PASSPHRASE not in found.stdout
