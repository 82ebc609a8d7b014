"""Hostile calls through the C interface from several threads, also while the client closes.

Each part runs in a process of its own. Checked: no crash and no hang; each status is one that the header names for
that function; each accepted call completes exactly once, with a status that its comment names; each destroy function
runs exactly once; outputs stay untouched on failure; sm_last_error() names the error."""

import json
import sys

import common


def part(arguments, seed, count):
    words = ["calls_part.py", "--seed", seed, "--calls", count, "--threads", arguments.threads]
    return common.child(words + (["--server"] if seed % 3 else []), arguments.limit)


def main():
    parser = common.options(__doc__.splitlines()[0], calls=(2000000, "calls in all"),
                            each=(50000, "calls of one process"),
                            threads=(3, "threads that call"), limit=(300, "seconds after which a process has hung"),
                            minutes=(60, "end after so many minutes"))
    arguments = parser.parse_args()
    run = common.Run("calls", arguments)
    seed = run.seed
    while run.counts.get("calls", 0) < arguments.calls and run.seconds() < arguments.minutes * 60:
        status, output, errors = part(arguments, seed, arguments.each)
        try:
            figures = json.loads(output.splitlines()[-1])
        except (IndexError, ValueError):
            figures = {}
        if status != 0 or not figures:
            what = "hang" if status is None else f"exit status {status}"
            run.found(f"{what} with --seed {seed}", output=output[-1500:], errors=errors[-1500:])
        for name, number in figures.items():
            run.count(name, number)
        run.count("processes")
        seed += 1
    sys.exit(run.end())


main()
