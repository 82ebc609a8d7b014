"""The programs of the stream recipes (docs/streams.md) in C and Rust, which print the same: what the database holds for
them, and what they are to show. The test of those in Python runs where this tree is not, and has its own."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path

#: What a terminal obeys, and no program may print: sets the title, clears the screen (C0 and C1), turns the direction.
EVIL = "\x1b\x07\x9b\x7f\u202e\u2066"
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
