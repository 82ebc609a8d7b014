"""Kills a host with SIGKILL at random moments under load, and sees that what it was told to be kept is not lost.

A host (kills_host.py) sends, edits, writes to the database, signs out, closes and opens again, while the server cuts
connections, loses acknowledgements and is itself killed now and then. After each kill the next host opens the same
files. Every few kills all is left to settle, and then: each message that was shown as pending is on the server exactly
once, or visibly failed; each write that was kept is in the database; the lists are what the server has."""

import collections
import json
import random
import sqlite3
import subprocess
import sys
import time

import common
import server


class Books:
    """What hosts were told, and what follows from it."""

    def __init__(self, run):
        self.run = run
        self.kept, self.sent, self.asked, self.free = set(), set(), {}, set()
        self.written, self.last, self.counted, self.counting = {}, 0, 0, 0
        self.gone, self.failed, self.pending_writes = set(), set(), []
        self.wiped, self.leaving, self.era = False, set(), 0
        self.writing = {}

    def hear(self, fact):
        if "bad" in fact:
            self.run.found("the host was told: " + fact["bad"], **fact)
        elif "asked" in fact:
            self.asked[fact["asked"]] = fact["url"]
        elif "kept" in fact:
            self.kept.add(fact["kept"])
            if fact["kept"] in self.gone:
                self.run.found("an own message of before the sign-out is shown again", request_id=fact["kept"])
        elif "left" in fact and fact["reason"] not in (None, "remove_resend_succeeded", "none"):
            self.free.add(fact["left"])
        elif "sent" in fact:
            self.sent.add(fact["sent"])
        elif "closed" in fact:
            self.stored(fact["closed"])
        elif "closing" in fact:
            self.run.count("closings_under_fire")
            self.run.counts["waiting_at_close"] = self.run.counts.get("waiting_at_close", 0) + fact["closing"]
        elif "survived" in fact:
            self.run.count("closed_before_the_kill")
        elif "unstored" in fact or "refused" in fact:
            self.unstored(fact.get("unstored") or fact["refused"])
        elif "written" in fact or "writing" in fact or "counted" in fact or "counting" in fact:
            self.write(fact)
        elif "signing" in fact or "signed" in fact:
            self.sign(fact)
        elif "again" in fact:
            self.wiped = False
        elif "opened" in fact and self.wiped:
            self.wiped = False
            if fact["cached"]:
                self.run.found("messages are cached after a sign-out that was done", cached=fact["cached"])

    def stored(self, fact):
        if "sent" in fact:
            self.kept.add(fact["sent"])
        elif "written" in fact:
            self.write(fact)

    def unstored(self, fact):
        if "sent" in fact:
            self.free.add(fact["sent"])

    def write(self, fact):
        if "writing" in fact:
            self.wiped = False
            self.writing[fact["writing"]] = fact["value"]
        elif "counting" in fact:
            self.counting += 1
        elif "counted" in fact:
            self.counted += fact["era"] == self.era
        elif fact.get("era") != self.era:
            pass
        elif fact["written"] == "w/last":
            self.last = max(self.last, fact["value"])
        else:
            self.written[fact["written"]] = fact["value"]

    def sign(self, fact):
        """From the call on, what is not sent may be gone; when it is done, it is."""
        if "signed" in fact:
            self.gone |= self.leaving
            self.wiped = not set(self.asked) - self.sent - self.leaving
            return
        self.era += 1
        self.leaving = set(self.asked) - self.sent
        self.free |= self.leaving
        self.written, self.last, self.counted = {}, 0, 0

    def check(self, host, lists):
        """After settling: what the server has against what was told."""
        found = collections.Counter()
        shown = {}
        for fact in lists:
            shown[fact["shown"]] = fact
            self.failed |= set(fact["failed"])
            if fact["pending"]:
                self.run.found("still pending after settling", pending=fact["pending"][:5])
        for url in sorted(set(self.asked.values())):
            messages = host.all_messages(url)
            found.update(each["message"] for each in messages)
            if url in shown:
                theirs = [[each["message_id"], each["message"], each["data"]] for each in messages]
                if theirs != shown[url]["messages"]:
                    self.run.found("the list is not what the server has", url=url, server=len(theirs),
                                   shown=len(shown[url]["messages"]))
        twice = [name for name in self.asked if found[name] > 1]
        lost = [name for name in self.kept if found[name] == 0 and name not in self.free | self.failed]
        unsent = [name for name in self.sent if found[name] == 0]
        for words, names in (("sent twice", twice), ("lost", lost), ("acknowledged and gone", unsent)):
            if names:
                self.run.found(f"messages {words}", count=len(names), names=names[:5])
        self.check_writes(host.data("/") or {})
        self.run.count("settled")

    def check_writes(self, tree):
        place = tree.get("w") or {}
        missing = {path: value for path, value in self.written.items() if place.get(path[2:]) != value}
        if missing:
            self.run.found("kept writes are not in the database", count=len(missing), some=list(missing.items())[:5])
        if (place.get("last") or 0) < self.last:
            self.run.found("an older write stands over a later one", there=place.get("last"), kept=self.last)
        if (tree.get("n") or 0) < self.counted:
            self.run.found("counts are lost", there=tree.get("n"), kept=self.counted)


def disturb(host, choice):
    way = choice.random()
    if way < 0.15:
        host.control("drop_sockets")
    elif way < 0.3:
        host.control("lose_next_ack", count=choice.randrange(1, 5))
    elif way < 0.4:
        host.control("refuse_connections", on=True)
    elif way < 0.5:
        host.control("delay", path_prefix="/", ms=choice.choice([20, 200]))
    elif way < 0.6:
        host.control("drop_streams")
    elif way < 0.68:
        host.kill()
        host.start()
    else:
        host.control("clear_faults")


def resize(folder, choice):
    """Gives a file pages of another size, as a later step of an opening has to write it again."""
    for path in folder.rglob(choice.choice(["cache.db", "intents.db"])):
        database = sqlite3.connect(path)
        for words in ("journal_mode=DELETE", f"page_size={choice.choice([512, 8192, 16384])}"):
            database.execute("PRAGMA " + words)
        database.execute("VACUUM")
        database.execute("PRAGMA journal_mode=WAL")
        database.close()


def start(run, seed, serial, settle=0, close_after=None):
    words = [sys.executable, str(server.HERE / "kills_host.py"), "--config", str(run.folder / "config.json"),
             "--channels", "c0,c1,c2", "--seed", str(seed), "--serial", str(serial), "--settle", str(settle),
             "--sign-out", str(run.arguments.sign_out)]
    if close_after is not None:
        words += ["--close-after", str(close_after)]
    return subprocess.Popen(words, stdout=subprocess.PIPE, stderr=open(run.folder / "errors", "ab"), text=True)


def read(process, books):
    lists = []
    for line in process.stdout:
        if not line.endswith("\n"):
            continue
        fact = json.loads(line)
        books.hear(fact)
        if "shown" in fact:
            lists.append(fact)
        if fact.get("marker") is False:
            books.run.found("a write is not answered within a minute, without faults")
    return lists


def main():
    parser = common.options(__doc__.splitlines()[0], kills=(200, "how many"), settle_every=(10, "kills between checks"),
                            sign_out=(0.001, "share of steps that sign out"), longest=(1.2, "seconds before a kill"),
                            closing=(0.2, "share of kills between the call of sm_close() and its return"))
    arguments = parser.parse_args()
    run = common.Run("kills", arguments)
    choice = random.Random(run.seed)
    host = server.Server(file=run.folder / "server.db", users=["a", "b"])
    for url in ("c0", "c1", "c2"):
        host.channel(url, ["a", "b"])
    config = host.config("a", run.folder / "data", message_collection_capacity="infinite", queue_limit=100000,
                         resend_retry_count=50, request_timeout_ms=2000)
    (run.folder / "config.json").write_text(json.dumps(config), encoding="utf-8")
    books = Books(run)
    for number in range(1, arguments.kills + 1):
        books.era = 0
        seconds = choice.uniform(0.05, 1) ** 2 * arguments.longest
        ends_itself = choice.random() < arguments.closing
        process = start(run, run.seed + number, number, close_after=seconds if ends_itself else None)
        disturb(host, choice)
        if not ends_itself:
            time.sleep(seconds + 0.12)
            process.kill()
        read(process, books)
        if process.wait() != -9:
            errors = (run.folder / "errors").read_text(errors="replace")
            run.found("the host ended by itself", status=process.returncode, seed=run.seed + number,
                      errors=errors[-800:])
        run.count("kills")
        if choice.random() < 0.1:
            resize(run.folder / "data", choice)
            run.count("resized")
        if number % arguments.settle_every == 0 or number == arguments.kills:
            host.control("clear_faults")
            process = start(run, 1, 99999, settle=60)
            lists = read(process, books)
            if process.wait() != 0:
                run.found("settling failed", status=process.returncode,
                          errors=(run.folder / "errors").read_text(errors="replace")[-800:])
            books.check(host, lists)
        if len(run.findings) > 20:
            break
    host.stop()
    run.counts.update(messages=len(books.asked), kept=len(books.kept), sent=len(books.sent), failed=len(books.failed),
                      writes=len(books.writing), given_up=len(books.free))
    sys.exit(run.end())


main()
