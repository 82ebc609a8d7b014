"""Circles of modules that use each other: whoever reads one of them has to read all. What scripts/lint says of them.

Everything that a reader meets counts: imports for type checkers only, and those inside of functions. What uses a name
that another module passes on uses that module.
"""

import ast
import re
from pathlib import Path

Uses = dict[str, set[str]]


def python_uses(folder: Path) -> tuple[Uses, dict[str, Path]]:
    """What each module of a package imports of the package, and where the modules are."""
    files = {".".join(file.relative_to(folder.parent).with_suffix("").parts).removesuffix(".__init__"): file
             for file in sorted(folder.rglob("*.py"))}
    return {name: _imports(name, file, files) for name, file in files.items()}, files


def _imports(name: str, file: Path, files: dict[str, Path]) -> set[str]:
    found = set()
    package = name if file.name == "__init__.py" else name.rpartition(".")[0]
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            above = package.rsplit(".", node.level - 1)[0] if node.level else ""
            base = ".".join(filter(None, (above, node.module)))
            # A module of that name comes before what the package passes on under it.
            found |= {whole if (whole := f"{base}.{alias.name}") in files else base for alias in node.names}
    return (found & files.keys()) - {name}


def rust_uses(folder: Path) -> tuple[Uses, dict[str, Path]]:
    """What each module of a crate uses of the crate by a path, and where they are. The crate's root declares all, so
    what is taken from there is no use of it; comments and tests are none either."""
    files = {file.stem: file for file in sorted(folder.glob("*.rs")) if file.name != "lib.rs"}
    uses = {}
    for name, file in files.items():
        text = re.sub(r"//[^\n]*", "", file.read_text()).split("#[cfg(test)]\nmod ", 1)[0]
        found = set(re.findall(r"\bcrate::(\w+)", text))
        for group in re.findall(r"\bcrate::\{([^;]*)\};", text):
            found |= set(re.findall(r"(?:^|,)\s*(\w+)", re.sub(r"\{[^}]*\}", "", group)))
        uses[name] = (found & files.keys()) - {name}
    return uses, files


def circles(uses: Uses) -> list[list[str]]:
    """The sets of modules in which each uses each, if over others."""
    reached = {name: _reached(name, uses) for name in uses}
    return sorted({tuple(sorted(other for other in reached[name] if name in reached[other]))
                   for name in uses if name in reached[name]})


def _reached(start: str, uses: Uses) -> set[str]:
    reached, waiting = set(), [start]
    while waiting:
        for name in uses[waiting.pop()] - reached:
            reached.add(name)
            waiting.append(name)
    return reached
