"""Runs the scenarios in the folders beside this file on a host; README.md tells their form, PROTOCOL.md the hosts."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest
from host import Hosts
from scenario import FILES, Scenario

HERE = Path(__file__).parent


@pytest.fixture(scope="session")
def hosts(request):
    kept = Hosts(request.config.getoption("--world"))
    yield kept
    kept.end()


def test_scenario(file, tmp_path, host_program, hosts, request):
    without_files = request.config.getoption("--cache") == "none"
    encrypted = request.config.getoption("--encrypted")
    always = {"cache": "none"} if without_files else {"encryption_key": "5a" * 32} if encrypted else {}
    scenario = Scenario(json.loads(file.read_text(encoding="utf-8")), tmp_path, hosts, host_program, always)
    if missing := scenario.missing():
        scenario.end()
        scenario.end_server()
        pytest.skip(missing)
    scenario.run()
    if encrypted:
        scenario.expect_encrypted()
    if without_files:
        assert not (tmp_path / "data").exists(), "a client without files has made some"


def test_names_are_unique():
    """docs/dev/parity.md and bug reports name a scenario without its folder."""
    assert [name for name, count in Counter(file.stem for file in FILES).items() if count > 1] == []


def test_it_says_why(file):
    """A scenario stands in a folder of its theme, begins with the promise or bug it guards, and expects something."""
    document = json.loads(file.read_text(encoding="utf-8"))
    assert file.parent.parent == HERE and set(document) <= {"why", "needs", "server", "steps"}
    assert next(iter(document)) == "why" and document["why"].strip() and not document["why"].endswith(".")
    assert any("expect" in step or "fails" in step or step.get("result") for step in document["steps"])


def test_there_are_enough():
    assert len(FILES) >= 220
