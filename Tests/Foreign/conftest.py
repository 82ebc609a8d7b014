"""Clients that nobody here wrote, against a real server, as they come out of the package index.

Run by scripts/test.d/91-foreign in a virtual environment of its own. Each test of an operation of the Platform API
client says so with `@operation(...)`; the table in docs/server.md is written from what passed (`--write-table`) and
compared with it by test_table.py.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any, Callable, Iterator

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "Tests" / "Server"))

from platform_client import Platform  # noqa: E402
from running import Server  # noqa: E402
from table import Results  # noqa: E402

RESULTS = Results()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--write-table", action="store_true", help="write the table of operations into docs/server.md")


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "operation(name): proves an operation of the Platform API client")
    config.addinivalue_line("markers", "fault(name, what): proves a fault of the client's own")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    # The table is compared with what all other tests found.
    items.sort(key=lambda item: item.path.name == "test_table.py")


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: Any) -> Iterator[None]:
    outcome: Any = yield
    report = outcome.get_result()
    if report.when != "call" and report.passed:
        return
    for mark in item.iter_markers("operation"):
        RESULTS.operation(mark.args[0], report.passed)
    for mark in item.iter_markers("fault"):
        RESULTS.fault(*mark.args, report.passed)


@pytest.fixture
def results() -> Results:
    return RESULTS


@pytest.fixture
def server() -> Iterator[Server]:
    # A key that nothing reads is refused: what a client asks for is not passed over in silence.
    running = Server("--strict")
    yield running
    assert running.stop() == 0


@pytest.fixture
def platform(server: Any) -> Iterator[Platform]:
    made = Platform(server)
    yield made
    made.close()


@pytest.fixture
def start() -> Iterator[Callable[..., Any]]:
    running: list[Server] = []

    def begin(*options: str) -> Server:
        running.append(Server(*options))
        return running[-1]

    yield begin
    for one in running:
        if one.process.poll() is None:
            assert one.stop() == 0
