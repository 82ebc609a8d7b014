"""The table of the Platform API client's operations in docs/server.md."""

from __future__ import annotations

from pathlib import Path

from platform_client import APIS

DOCUMENT = Path(__file__).resolve().parents[2] / "docs" / "server.md"
BEGIN = "<!-- operations: written by scripts/test.d/91-foreign --write-table -->\n"
END = "<!-- end of operations -->\n"

#: What stays out, by the beginning of an operation's path, and why.
OUT = {
    "/v3/open_channels": "open channels are not served: this library has group channels only",
}


class Results:
    def __init__(self) -> None:
        self.operations: dict[str, bool] = {}
        self.faults: dict[str, list[str]] = {}

    def operation(self, name: str, passed: bool) -> None:
        self.operations[name] = self.operations.get(name, True) and passed

    def fault(self, name: str, what: str, passed: bool) -> None:
        if passed:
            self.faults.setdefault(name, []).append(what)


def operations() -> dict[str, tuple[str, str]]:
    """All operations the client has: name, and method and path."""
    found: dict[str, tuple[str, str]] = {}
    for name, api in APIS.items():
        for attribute, endpoint in vars(api()).items():
            if attribute.endswith("_endpoint"):
                settings = endpoint.settings
                found[f"{name.removesuffix('Api')}.{attribute.removesuffix('_endpoint')}"] = (
                    settings["http_method"],
                    settings["endpoint_path"],
                )
    return dict(sorted(found.items()))


def out(path: str) -> str | None:
    return next((why for prefix, why in OUT.items() if path.startswith(prefix)), None)


def render(results: Results) -> str:
    rows: list[str] = []
    works = left_out = failing = 0
    for name, (method, path) in operations().items():
        reason = out(path)
        if reason:
            left_out += 1
            state, note = "out", reason
        elif results.operations.get(name):
            works += 1
            state, note = "works", ""
        else:
            failing += 1
            state, note = "FAILS", "no test of it passed"
        own = "; ".join(sorted(results.faults.get(name, [])))
        note = "; ".join(filter(None, [note, own and f"the client's own fault: {own}"]))
        rows.append(f"| {name} | {method} {path.removeprefix('/v3/')} | {state} | {note} |")
    faults = sum(len(list_) for list_ in results.faults.values())
    head = (
        f"{works + left_out + failing} operations: {works} work, {failing} fail, {left_out} are out; "
        f"{faults} faults of the client's own, each proven by a test, hinder single values or whole answers of "
        f"{len(results.faults)} operations.\n\n"
        "| operation | request | state | why |\n|---|---|---|---|\n"
    )
    return head + "\n".join(rows) + "\n"


def committed() -> str:
    text = DOCUMENT.read_text()
    return text.split(BEGIN)[1].split(END)[0]


def write(results: Results) -> None:
    text = DOCUMENT.read_text()
    before, rest = text.split(BEGIN)
    after = rest.split(END)[1]
    DOCUMENT.write_text(before + BEGIN + render(results) + END + after)
