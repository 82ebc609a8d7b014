"""Swift read as text: which files of a module use each other, how many doors a type has, how long functions are.

No compiler's view: names are compared, not types. A name that a module declares several times counts for nobody.
"""

import bisect
import re
from collections import defaultdict
from pathlib import Path
from typing import NamedTuple

_BARE = re.compile(
    r'(?P<raw>(?P<hash>#+)"""(?:.|\n)*?"""(?P=hash))|(?P<multi>"""(?:\\(?:.|\n)|[^\\])*?""")'
    r'|(?P<rawline>(?P<hashes>#+)"[^\n]*?"(?P=hashes))|(?P<string>"(?:\\.|[^"\\\n])*")'
    r"|(?P<line>//[^\n]*)|(?P<block>/\*(?:.|\n)*?\*/)")
_TYPE = re.compile(r"\b(class|struct|enum|protocol|actor|extension|typealias)\s+(?!func\b|var\b|let\b|subscript\b)"
                   r"([\w.]+|\[[^\]]*\])")
_MEMBER = re.compile(r"\b(?:(func)\s+(\w+)|(var|let)\s+(\w+)|(init)\b[?]?\s*[(<]|(subscript)\b)")
_PRIVATE = re.compile(r"\b(?:file)?private\b(?!\(set\))")


def bare(text: str) -> str:
    """The text with comments and string literals blanked out, line by line as before."""
    return _BARE.sub(lambda match: re.sub(r"[^\n]", " ", match[0]), text)


class Scope(NamedTuple):
    """A declaration of a type, or an extension of one."""

    kind: str
    name: str
    #: From the declaration to the closing brace; `opened`: the opening one.
    start: int
    opened: int
    end: int
    is_private: bool


class Member(NamedTuple):
    type: str
    kind: str
    name: str
    line: int
    is_private: bool
    is_extension: bool


class Function(NamedTuple):
    name: str
    line: int
    lines: int


class SwiftFile:
    """What one file declares, and the names that it mentions."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.text = bare(path.read_text())
        self.words = set(re.findall(r"\w+", self.text))
        self.selected = set(re.findall(r"\.(\w+)", self.text))
        self.called = set(re.findall(r"(?<![.\w])(\w+)\(", self.text))
        self.qualified = set(re.findall(r"\b([A-Z]\w*\.[A-Z]\w*)", self.text))
        self._breaks = [match.start() for match in re.finditer("\n", self.text)]
        self._ends, self._places, self._depths = self._read_braces()
        self.scopes = list(self._read_scopes())
        self.members = list(self._read_members())
        self.functions = list(self._read_functions())

    def line(self, position: int) -> int:
        return bisect.bisect_left(self._breaks, position) + 1

    def _read_braces(self) -> tuple[dict[int, int], list[int], list[int]]:
        """Where each opening brace ends; and for each bracket, where it stands and how deep it is behind it."""
        ends, stack, places, depths, depth = {}, [], [0], [0], 0
        for match in re.finditer(r"[{}()]", self.text):
            depth += 1 if match[0] in "{(" else -1
            places.append(match.start())
            depths.append(depth)
            if match[0] == "{":
                stack.append(match.start())
            elif match[0] == "}" and stack:
                ends[stack.pop()] = match.start()
        return ends, places, depths

    def _depth(self, position: int) -> int:
        return self._depths[bisect.bisect_left(self._places, position) - 1] if position else 0

    def _head(self, position: int) -> str:
        return self.text[self.text.rfind("\n", 0, position) + 1:position]

    def _read_scopes(self):
        for match in _TYPE.finditer(self.text):
            is_private = bool(_PRIVATE.search(self._head(match.start())))
            if match[1] == "typealias":
                yield Scope(match[1], match[2], match.start(), match.end(), match.end(), is_private)
                continue
            opened = self.text.find("{", match.end())
            if opened in self._ends:
                yield Scope(match[1], match[2], match.start(), opened, self._ends[opened], is_private)

    def _around(self, position: int) -> list[Scope]:
        return [scope for scope in self.scopes if scope.opened < position < scope.end]

    def full_name(self, scope: Scope) -> str:
        return ".".join([other.name for other in self._around(scope.start)] + [scope.name])

    def _is_direct(self, position: int, scope: Scope) -> bool:
        return self._depth(position) == self._depth(scope.opened) + 1

    def _read_members(self):
        for match in _MEMBER.finditer(self.text):
            around = self._around(match.start())
            if not around or around[-1].kind == "protocol" or not self._is_direct(match.start(), around[-1]):
                continue
            kind = match[1] or match[3] or match[5] or match[6]
            name = match[2] or match[4] or kind
            is_private = bool(_PRIVATE.search(self._head(match.start()))) or any(scope.is_private for scope in around)
            is_extension = any(scope.kind == "extension" for scope in around)
            outer = self.full_name(around[-1])
            yield Member(outer, kind, name, self.line(match.start()), is_private, is_extension)

    def _read_functions(self):
        """The outermost functions, initializers and computed values."""
        last = -1
        for match in _MEMBER.finditer(self.text):
            if match.start() < last:
                continue
            around = self._around(match.start())
            if around and (around[-1].kind == "protocol" or not self._is_direct(match.start(), around[-1])):
                continue
            opened = self._body(match)
            if opened in self._ends:
                last = self._ends[opened]
                name = match[2] or match[4] or match[5] or match[6]
                first = self.line(match.start())
                yield Function(name, first, self.line(last) - first + 1)

    def _body(self, match: re.Match[str]) -> int:
        if match[3]:
            line_end = self.text.find("\n", match.end())
            found = re.compile(r"[^={\n]*\{").match(self.text, match.end(), line_end)
            return found.end() - 1 if found else -1
        return self.text.find("{", match.end())

    @property
    def declared(self) -> set[str]:
        """The types that stand here for all of the module, nested ones by their full names."""
        return {self.full_name(scope) for scope in self.scopes
                if scope.kind != "extension" and not scope.is_private}


class Module:
    """The files of one module."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.files = {str(path.relative_to(folder)): SwiftFile(path) for path in sorted(folder.rglob("*.swift"))}

    def uses(self) -> dict[str, set[str]]:
        """Which files each file uses: it names a type that one declares, or the type and a member that an extension in
        one adds to it."""
        types, added = defaultdict(set), defaultdict(set)
        for name, file in self.files.items():
            for declared in file.declared:
                types[declared].add(name)
            for member in file.members:
                if member.kind not in ("init", "subscript"):
                    added[member.name].add((name, member.type, member.is_extension and not member.is_private))
        homes = {name: next(iter(files)) for name, files in types.items() if len(files) == 1}
        members = {name: next(iter(places)) for name, places in added.items()
                   if len(places) == 1 and next(iter(places))[2]}
        found = {}
        for name, file in self.files.items():
            used = {homes[word] for word in (file.words | file.qualified) & homes.keys()}
            for word in (file.selected | file.called) & members.keys():
                home, extended, _ = members[word]
                if extended.split(".")[-1] in file.words:
                    used.add(home)
            found[name] = used - {name}
        return found


def doors(modules: list[Module]) -> dict[str, tuple[Path, set[str]]]:
    """Of each type, by module and name: the names of its functions that are not private, and that other files call,
    those with more of the type too. And where the first one of them stands."""
    selected, called = defaultdict(set), defaultdict(set)
    for module in modules:
        for file in module.files.values():
            for word in file.selected:
                selected[word].add(file.path)
            for type_ in {file.full_name(scope) for scope in file.scopes}:
                for word in file.called:
                    called[module.folder, type_, word].add(file.path)
    found: dict[str, tuple[Path, set[str]]] = {}
    for module in modules:
        for file in module.files.values():
            for member in file.members:
                users = selected[member.name] | called[module.folder, member.type, member.name]
                if member.kind == "func" and not member.is_private and users - {file.path}:
                    found.setdefault(f"{module.folder.name}.{member.type}", (file.path, set()))[1].add(member.name)
    return found
