"""What all programs of this directory share: options, seeds, the list of findings, and the last line."""

import argparse
import json
import os
import pathlib
import random
import resource
import shutil
import subprocess
import sys
import tempfile
import time


def options(text, **defaults):
    """A parser with the options that every program has."""
    parser = argparse.ArgumentParser(description=text)
    parser.add_argument("--seed", type=int, default=None, help="begin with this seed (default: a random one, printed)")
    parser.add_argument("--keep", action="store_true", help="keep the working directory")
    for name, (value, words) in defaults.items():
        parser.add_argument("--" + name.replace("_", "-"), type=type(value), default=value, help=f"{words} ({value})")
    return parser


class Run:
    """One run of a program: its seed, its directory, what it found, what it counted."""

    def __init__(self, name, arguments):
        self.name, self.arguments = name, arguments
        self.seed = arguments.seed if arguments.seed is not None else random.SystemRandom().randrange(1 << 31)
        self.findings, self.counts, self.start = [], {}, time.monotonic()
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix=f"attack-{name}-"))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        print(f"{name}: seed {self.seed}, directory {self.folder}", flush=True)

    def found(self, what, **facts):
        self.findings.append(what)
        if len(self.findings) <= 50:
            words = ", ".join(f"{key}={value!r}"[:600] for key, value in facts.items())
            print(f"FOUND: {what}" + (f" ({words})" if words else ""), flush=True)

    def count(self, name, by=1):
        self.counts[name] = self.counts.get(name, 0) + by

    def seconds(self):
        return time.monotonic() - self.start

    def end(self):
        """Prints the line of figures and gives the exit status."""
        if not self.arguments.keep and not self.findings:
            shutil.rmtree(self.folder, ignore_errors=True)
        line = {"program": self.name, "seed": self.seed, "seconds": round(self.seconds(), 1),
                "found": len(self.findings), **self.counts}
        print(json.dumps(line), flush=True)
        return 1 if self.findings else 0


def child(words, seconds, **more):
    """Runs a program of this directory with a deadline: (exit status or None, output, errors)."""
    here = pathlib.Path(__file__).resolve().parent
    command = [sys.executable, str(here / words[0]), *map(str, words[1:])]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                               errors="replace", **more)
    try:
        output, errors = process.communicate(timeout=seconds)
        return process.returncode, output, errors
    except subprocess.TimeoutExpired:
        process.kill()
        output, errors = process.communicate()
        return None, output, errors


def memory(pid=None):
    """Resident memory of a process in bytes."""
    with open(f"/proc/{pid or os.getpid()}/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
