"""The programs of the recipes (docs/first-program.md, docs/streams.md) in C and Rust, which print the same: what the
server holds for them, and what they are to show. The test of those in Python runs where this tree is not, and has its
own."""

from __future__ import annotations

import json
import os
import re
import select
import signal
import subprocess
import sys
import termios
import threading
from collections.abc import Iterator
from pathlib import Path

from harness import LIBRARY, PATIENCE, ROOT, fetch_all

from syncmanager.blocking import SyncManager

#: What a terminal obeys, and no program may print: sets the title, clears the screen (C0 and C1), turns the direction.
EVIL = "\x1b\x07\x9b\x7f\u202e\u2066\u061c\u200e\u200f"
RULES = {".read": True, ".write": True, "people": {".indexOn": ["is_organizer"]}}
#: Who is there when `people` begins. Who has no role is no organizer, and stands before those who said so.
PEOPLE = {"a1": {"name": "Mei", "is_organizer": True}, "a2": {"name": "Bo", "is_organizer": False},
          "a3": {"name": f"An{EVIL}a"}, "a4": {"name": "Kit", "is_organizer": False}}
#: What is changed while it runs, and the lines that it then prints.
STEPS = [
    ("a list, its sections, and two queries", None,
     ["everybody: Ana, Bo, Kit, Mei", "organizers: Mei; participants: Ana, Bo, Kit", "section 0: Mei",
      "section 1: Ana, Bo, Kit"]),
    ("who becomes an organizer", ("PUT", "/people/a4/is_organizer", True),
     ["organizers: Kit, Mei; participants: Ana, Bo", "section 0: Mei, Kit", "section 1: Ana, Bo"]),
    ("who does not come", ("DELETE", "/people/a2"),
     ["everybody: Ana, Kit, Mei", "organizers: Kit, Mei; participants: Ana", "section 1: Ana"]),
    ("who comes later", ("PATCH", "/people", {"a5": {"name": "Zoe"}, "a6": {"name": "Lu", "is_organizer": True}}),
     ["everybody: Ana, Kit, Lu, Mei, Zoe", "organizers: Kit, Lu, Mei; participants: Ana, Zoe",
      "section 0: Mei, Kit, Lu", "section 1: Ana, Zoe"]),
]
#: So many are there after the last step, and not before.
COUNT = 5
MESSAGES = {f"-N{number:02}x": {"text": f"m{EVIL}{number}"} for number in range(1, 9)}
#: What `long_chat` prints of them.
PAGES = ["m8 | m7 | m6 | fetch more", "m8 | m7 | m6 | m5 | m4 | m3 | fetch more",
         "m8 | m7 | m6 | m5 | m4 | m3 | m2 | m1"]


def people(server, *command: object, **more) -> Iterator[tuple[str, bool, str]]:
    """A list, its partition, and two limited queries in two sections, while people come, change roles and go. Yields
    what is checked, whether it holds, and why not. The program ends by itself: with COUNT people, and with an error
    when it hears nothing."""
    server.database("PUT", "/.settings/rules", {"rules": RULES})
    server.database("PUT", "/people", PEOPLE)
    lines: list[str] = []
    with subprocess.Popen([str(part) for part in (*command, COUNT)], text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, **more) as process:
        try:
            for what, change, wanted in STEPS:
                if change:
                    server.database(*change)
                missing = set(wanted)
                while missing and (line := process.stdout.readline()):
                    lines.append(line.rstrip("\n"))
                    missing.discard(lines[-1])
                yield f"people shows {what}", not missing, f"not {missing}: {lines}"
            lines += process.stdout.read().splitlines()
            last = {line.partition(": ")[0]: line for line in lines}
            good = process.wait() == 0 and sorted(last.values()) == sorted(STEPS[-1][-1])
            yield "people ends with the last of these", good, f"{process.returncode}: {lines}"
        finally:
            process.kill()


def send_file(work: Path, target: Path, *command: object, **more) -> Iterator[tuple[str, bool, str]]:
    """A file of 3 MB goes to the server and comes back, with bars that end at 100 %. Yields as `people`."""
    path = work / "sent.bin"
    path.write_bytes(bytes(range(256)) * 12_000)
    done = subprocess.run([str(part) for part in (*command, path, target)], text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, timeout=120, **more)
    lines = done.stdout.replace("\r", "\n").splitlines()
    full = f"[{'#' * 20}] 100 %"
    wanted = [f"sending {full}", "sent: sent.bin", f"receiving {full}", f"received: {target}"]
    missing = [line for line in wanted if line not in lines]
    yield "send_file shows how far it is", done.returncode == 0 and not missing, f"not {missing}: {done.stdout}"
    same = target.exists() and target.read_bytes() == path.read_bytes()
    yield "send_file receives what it has sent", same, done.stdout


def chat(server, programs: Path, config: str, channel_url: str, **more) -> Iterator[tuple[str, bool, str]]:
    """A poll with its first vote; and a draft that a later process has, until it is sent. Yields as `people`."""
    steps = [
        ("poll", ["Tea?", f"y{EVIL}es", "no"], ["* 1 yes", "  0 no"]),
        ("draft", [], ["draft: "]),
        ("draft", [f"see{EVIL} you"], ["draft: see you"]),
        ("draft", [], ["draft: see you"]),
        ("draft", ["--send"], ["draft: "]),
    ]
    for program, arguments, wanted in steps:
        done = subprocess.run([str(programs / program), config, channel_url, *arguments], text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=120, **more)
        yield f"{program} shows {wanted[0]!r}", done.stdout.splitlines() == wanted, done.stdout
    texts = [message["message"] for message in server.messages(channel_url)]
    yield "draft sends what was written", texts == ["Tea?", f"see{EVIL} you"], str(texts)


#: What is typed or happens in the channel, and the lines that `search_typed` then shows last.
SEARCHES = [
    ("a beginning of a word", "type", "lun", ["lun: 2 found", "  [lunch] at noon?", "  see you at [lunch] tomorrow"]),
    ("a word more", "type", "lunch tomor", ["lunch tomor: 1 found", "  see you at [lunch] [tomorrow]"]),
    ("a message that comes", "post", f"Tomorrow{EVIL} a late lunch",
     ["lunch tomor: 2 found", "  [Tomorrow] a late [lunch]", "  see you at [lunch] [tomorrow]"]),
    ("a message that is edited", "edit", "dinner tomorrow",
     ["lunch tomor: 1 found", "  see you at [lunch] [tomorrow]"]),
    ("a line with controls", "type", f"noo{EVIL}", ["noo: 1 found", "  lunch at [noon]?"]),
]


def search_typed(server, channel_url: str, user_id: str, *command: object, **more) -> Iterator[tuple[str, bool, str]]:
    """What a user types into a search, line by line, and messages that enter and leave what is shown. Yields as
    `people`."""
    server.post(channel_url, user_id, f"see{EVIL} you at lunch tomorrow")
    server.post(channel_url, user_id, "lunch at noon?")
    lines: list[str] = []
    with subprocess.Popen([str(part) for part in (*command, channel_url)], text=True, stdin=subprocess.PIPE,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, **more) as process:
        patience = threading.Timer(120, process.kill)
        patience.start()
        try:
            for what, step, text, wanted in SEARCHES:
                if step == "type":
                    process.stdin.write(text + "\n")
                    process.stdin.flush()
                elif step == "post":
                    posted = server.post(channel_url, user_id, text)["message_id"]
                else:
                    server.edit(channel_url, posted, text)
                while lines[-len(wanted):] != wanted and (line := process.stdout.readline()):
                    lines.append(line.rstrip("\n"))
                yield f"search_typed shows {what}", lines[-len(wanted):] == wanted, f"not {wanted}: {lines}"
            # The last line may have no end, and its result is shown all the same.
            rest = process.communicate("dinner")[0].splitlines()
            good = process.returncode == 0 and rest == ["dinner: 1 found", "  [dinner] tomorrow"]
            yield "search_typed ends with the input", good, f"{process.returncode}: {rest}"
        finally:
            patience.cancel()
            process.kill()


def search_older(
    server, channel_url: str, user_id: str, config: dict, *command: object, **more
) -> Iterator[tuple[str, bool, str]]:
    """The same over a cache that was filled without an index: what is found comes when that is made. Yields as
    `people`."""
    server.post(channel_url, user_id, "a rare bird")
    for _ in range(8):
        server.control("post_messages", channel_url=channel_url, user_id=user_id, count=1000, text="nothing of that")
    with SyncManager(**config) as filling:
        filling.connect(timeout=PATIENCE)
        fetch_all(filling.messages(channel_url).fetch)
    whole = ["rare: 1 found", "  a [rare] bird"]
    # Meanwhile; a fast machine has indexed all before it is asked.
    partial = {f"rare: {count} found, an older cache is being indexed" for count in (0, 1)}
    program = subprocess.Popen([str(part) for part in (*command, json.dumps(config), channel_url)], text=True,
                               stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, **more)
    patience = threading.Timer(60, program.kill)
    patience.start()
    try:
        program.stdin.write("rare\n")
        program.stdin.flush()
        lines = []
        while lines[-2:] != whole and (line := program.stdout.readline()):
            lines.append(line.rstrip("\n"))
        good = lines[-2:] == whole and set(lines) <= partial.union(whole)
        yield "search_typed finds what is indexed later", good, str(lines)
        program.communicate("")
    finally:
        patience.cancel()
        program.kill()
        program.communicate()


#: The channels of `full_cache`, in the order in which the user's list has them, and how many messages each has.
LARGE = {"pinned": 100, "old": 100, "new": 80}


def fill(server, user_id: str) -> list[str]:
    """More than a cache of 64 MiB holds; gives the channels' URLs."""
    urls = {f"{name}-{user_id}": count for name, count in LARGE.items()}
    for url, count in reversed(urls.items()):
        server.create_channel(url, user_id)
        server.control("post_messages", channel_url=url, user_id=user_id, count=count, data_bytes=262_144)
    return list(urls)


def full_cache(server, user_id: str, *command: object, **more) -> Iterator[tuple[str, bool, str]]:
    """All is read, and the channel that is not pinned makes room. Yields as `people`."""
    pinned, old, new = fill(server, user_id)
    done = subprocess.run([str(part) for part in (*command, pinned)], text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, timeout=120, **more)
    lines = done.stdout.splitlines()
    wanted = [f"read: {pinned}", f"read: {old}", f"read: {new}",
              f"full: {pinned} (100 messages) {old} (100 messages)", f"evict: {old}"]
    missing = [line for line in wanted if line not in lines]
    yield "full_cache names the channel that makes room", done.returncode == 0 and not missing, done.stdout
    trimmed = [re.fullmatch(r"trimmed: (.*), (\d+) messages", line) for line in lines if line.startswith("trimmed: ")]
    yield "full_cache shows that no other does", {found[1] for found in trimmed if found} == {old}, done.stdout
    left = sum(LARGE.values()) - sum(int(found[2]) for found in trimmed if found)
    counted = re.fullmatch(r"cached: (\d+) messages, (\d+) of 64 MiB", lines[-1])
    good = counted and int(counted[1]) == left and int(counted[2]) < 64
    yield "full_cache ends with what is left", bool(good), f"{left}: {done.stdout}"


#: Prints what the library says where there is no SQLCipher that fits; nothing where there is one.
PROBE = """
import sys, tempfile
from syncmanager.blocking import SyncManager
from syncmanager.errors import NoEncryptionError
with tempfile.TemporaryDirectory() as folder:
    try:
        SyncManager(app_id="A", user_id="u", data_dir=folder, encryption_passphrase="p").close()
    except NoEncryptionError as error:
        print(error.message)
"""


def missing_encryption(env: dict) -> str:
    """What programs that run with this environment cannot find; empty where they can encrypt."""
    done = subprocess.run([sys.executable, "-c", PROBE], text=True, check=True, stdout=subprocess.PIPE, env={
        **env, "PYTHONPATH": str(ROOT / "bindings/python"), "SYNCMANAGER_LIBRARY": str(LIBRARY)})
    return done.stdout.strip()


def locked_cache(
    server, work: Path, config: dict, channel_url: str, user_id: str, *command: object, env: dict
) -> Iterator[tuple[str, bool, str]]:
    """A cache with a passphrase, and what becomes of it where nothing can encrypt. Yields as `people`. The first needs
    SQLCipher; for the second a file that is none stands before it."""
    server.post(channel_url, user_id, f"see{EVIL} you")
    hidden = work / "hidden"
    hidden.mkdir(exist_ok=True)
    for name in ("libsqlcipher.so.1", "libsqlcipher.so.0"):
        (hidden / name).write_bytes(b"")
    without = {**env, "LD_LIBRARY_PATH": f"{hidden}:{env.get('LD_LIBRARY_PATH', '')}"}
    ask, refused, open_it = "passphrase: ", "this passphrase does not open it", "newest: see you"
    missing = "encryption needs SQLCipher 4.6 or later: no libsqlcipher was found"
    agree = "go on without encryption (yes or no)? "
    plain, locked = (json.dumps({**config, "data_dir": str(work / name)}) for name in ("plain", "locked"))
    #: What is done, with which files and environment, what is typed, the lines, and whether it succeeds.
    steps = [
        ("asks before it goes on without encryption", plain, without, ["first", "no"], [],
         [ask, missing, agree, "nothing was opened"], 1),
        ("goes on without when the user agrees", plain, without, ["first", "yes"], [],
         [ask, missing, agree, open_it], 0),
        ("asks again in the next run", plain, without, ["first", "no"], [],
         [ask, missing, agree, "nothing was opened"], 1),
        ("has no passphrase to change", plain, without, ["first", "yes", "second"], ["--change"],
         [ask, missing, agree, open_it, "new passphrase: ", "the files are not encrypted: call encrypt"], 1),
    ]
    if not missing_encryption(env):
        steps += [
            ("encrypts what is there", plain, env, ["first"], [], [ask, "the files are encrypted now", open_it], 0),
            ("opens it with the passphrase", plain, env, ["first"], [], [ask, open_it], 0),
            ("does not open it without encryption", plain, without, ["first", "yes"], [],
             [ask, missing, agree, "is encrypted, and no key was given"], 1),
            ("begins with a passphrase", locked, env, ["first"], [], [ask, open_it], 0),
            ("asks again, and changes it", locked, env, ["wrong", "first", "second"], ["--change"],
             [ask, refused, ask, open_it, "new passphrase: ", "the old passphrase opens nothing any more"], 0),
            ("is not opened by the old one", locked, env, ["first"], [],
             [ask, refused, ask, "there is no answer"], 1),
            ("is opened by the new one", locked, env, ["second"], [], [ask, open_it], 0),
        ]
    for what, configuration, environment, typed, more, wanted, status in steps:
        done = subprocess.run([str(part) for part in (*command, configuration, channel_url, *more)], text=True,
                              input="".join(line + "\n" for line in typed), stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, timeout=120, env=environment)
        lines = done.stdout.splitlines()
        # The last line may say more: each language has its own form of an error.
        same = lines[:-1] == wanted[:-1] and wanted[-1] in "".join(lines[-1:])
        yield f"locked_cache {what}", same and done.returncode == status, f"{done.returncode}: {done.stdout}"
        if "before" in what:
            yield "locked_cache has written nothing", not list((work / "plain").rglob("*.db*")), ""


#: Runs a command at a terminal as a user's shell does, which gets the terminal's signals, too, and stays.
AT_TERMINAL = """
exec <>"$1" >&0 2>&1
shift
trap : INT
"$@"
echo "status $?"
stty -a
echo "the end"
"""


def at_terminal(typed: str, *command: object, env: dict) -> tuple[bool, str]:
    """Runs a program at a terminal, where this is typed when it asks for a passphrase. Gives whether the terminal hid
    what is typed then, and all that it showed, with its settings when the program had ended."""
    terminal, other_end = os.openpty()
    shell = subprocess.Popen(
        ["sh", "-c", AT_TERMINAL, "sh", os.ttyname(other_end), *map(str, command)], env=env, start_new_session=True,
        # Who starts the tests in the background has Ctrl+C ignored in them, and in what they start.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
    shown, is_hidden = b"", False
    try:
        while b"the end" not in shown and select.select([terminal], [], [], 60)[0]:
            shown += os.read(terminal, 4096)
            if b"passphrase: " in shown and typed:
                is_hidden = not termios.tcgetattr(terminal)[3] & termios.ECHO
                os.write(terminal, typed.encode())
                typed = ""
    finally:
        shell.kill()
        shell.wait()
        os.close(terminal)
        os.close(other_end)
    return is_hidden, shown.decode(errors="replace")


def hidden_passphrase(*command: object, env: dict) -> Iterator[tuple[str, bool, str]]:
    """What is typed at a terminal is hidden, and the next who types there sees it again, however the program ended.
    Yields as `people`."""
    # Ctrl+C behind the beginning of a passphrase; Ctrl+D, the end of the input.
    for how, typed, status in (("is interrupted", "half\x03", 128 + signal.SIGINT), ("gets no answer", "\x04", 1)):
        is_hidden, shown = at_terminal(typed, *command, "{}", "lunch", env=env)
        yield f"locked_cache hides the passphrase, and {how}", is_hidden and "half" not in shown, shown
        ended = f"status {status}\r\n" in shown and re.search(r"(?<!-)\becho\b", shown) is not None
        yield f"locked_cache {how}, and the terminal is as it was", ended, shown
