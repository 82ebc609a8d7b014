"""Every exported function of the header has a form in Python, and docs/bindings.md tells which."""

from __future__ import annotations

import inspect
import re
from pathlib import Path
from typing import Any

import pytest

import syncmanager
import syncmanager.blocking
from syncmanager import _ffi

ROOT = Path(__file__).resolve().parents[3]
HEADER = re.sub(r"/\*.*?\*/", "", (ROOT / "include/syncmanager.h").read_text(), flags=re.DOTALL)
EXPORTED = re.findall(r"\bSM_EXPORT\s+[\w\s*]*?\b(sm_\w+)\s*\(([^)]*)\)", HEADER)
TABLE = dict(re.findall(r"^\| `(sm_\w+)` \| (.*?) \|", (ROOT / "docs/bindings.md").read_text(), re.MULTILINE))
#: What Python programs do not see, and why there is nothing to see.
INSIDE = {"sm_string_free"}
#: What the package does by pulling events, without a C callback.
BY_PULL = {"sm_dispatch", "sm_interrupt", "sm_set_callback", "sm_collection_set_callback"}


def find(path: str) -> None:
    place = syncmanager
    for name in path.split("."):
        if not hasattr(place, name) and isinstance(place, type):
            # An attribute that instances get: it must be named in a constructor or annotation.
            assert any(f"self.{name}" in source(kind) for kind in place.__mro__[:-1]), f"{path} does not exist"
            return
        place = getattr(place, name)


def source(kind: Any) -> Any:
    try:
        return inspect.getsource(kind)
    except (OSError, TypeError):
        return ""


def test_the_header_is_read() -> None:
    assert len(EXPORTED) >= 33
    assert [name for name, _ in EXPORTED if name == "sm_setup"]


def test_the_package_has_the_version_of_the_header() -> None:
    parts = dict(re.findall(r"^#define SM_VERSION_(MAJOR|MINOR|PATCH) (\d+)$", HEADER, re.MULTILINE))
    assert syncmanager.__version__ == ".".join(parts[part] for part in ("MAJOR", "MINOR", "PATCH"))
    assert syncmanager.__version__ == syncmanager.version()


def test_the_table_has_the_functions_of_the_header_and_no_others() -> None:
    assert {name for name, _ in EXPORTED} == TABLE.keys()


@pytest.mark.parametrize("name", TABLE)
def test_the_python_form_of_each_function_exists(name: str) -> None:
    forms = re.findall(r"`([\w.]+)`", TABLE[name])
    forms = [form for form in forms if not form.startswith("sm_")]
    assert (not forms) == (name in INSIDE)
    for form in forms[:1]:
        find(form)
        if form.startswith("SyncManager."):
            find("blocking." + form)


@pytest.mark.parametrize(("name", "parameters"), EXPORTED)
def test_each_function_is_declared_with_its_parameters_and_called(name: str, parameters: Any) -> None:
    if "on `sm_next_event`" in TABLE[name]:
        assert name in BY_PULL
        return
    function = getattr(_ffi.lib, name)
    count = 0 if parameters.strip() == "void" else parameters.count(",") + 1
    assert function.argtypes is not None, f"{name} is not declared in _ffi.py"
    assert len(function.argtypes) == count, name
    package = Path(syncmanager.__file__).parent
    assert any(f"lib.{name}" in file.read_text() for file in package.glob("*.py")), f"nothing calls {name}"
