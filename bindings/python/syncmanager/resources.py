"""Objects of registered types over the realtime database, in contexts (docs/resources.md)."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Callable, Generic, Literal, TypedDict, TypeVar, Union

from .documents import Condition
from .events import ResourceEvent

#: The type that calls return: a ``Call`` in asyncio programs, its result in blocking ones.
Given = TypeVar("Given")
Hook = Literal[
    "will_create",
    "will_update",
    "will_destroy",
    "did_create",
    "did_update",
    "did_destroy",
    "persisted_create",
    "persisted_update",
    "persisted_destroy",
    "action",
]
When = Literal["answered", "kept"]


class Resource(TypedDict, total=False):
    """A resource that a context has under a name. Since 0.1."""

    key: str
    #: Counters find their owner by it.
    type: str
    #: For the action log.
    value: Any


#: A resource, or its key alone.
Named = Union[Resource, str]


class Counter(TypedDict, total=False):
    """A counter: the number of objects of the type ``counting`` for which the predicate holds. Since 0.1."""

    name: str
    counting: str
    predicate: Condition


class _Missing:
    pass


_MISSING = _Missing()
#: Names for contexts that the program gives none.
_numbers = itertools.count(1)


class Resources(Generic[Given]):
    """Registered types, and contexts. Calls give a ``Call`` in asyncio programs, its result in blocking ones.

        resources = sm.resources
        resources.register("Group", "/group/@", counters=[{"name": "message_count", "counting": "GroupMessage"}])
        resources.register("GroupMessage", "/group_message/$group/@")
        root = resources.context()
        group = root.push(group={"key": "hikers", "type": "Group"})
        group.create("GroupMessage", {"text": "hello"})

    Since 0.1.
    """

    def __init__(self, ask: Callable[[Mapping[str, Any]], Given]) -> None:
        self._ask = ask

    def register(
        self,
        resource_type: str,
        path: str,
        *,
        counters: Sequence[Counter] = (),
        hooks: Iterable[Hook] = (),
    ) -> Given:
        """Registers a type: where its objects are, what they count, and which hooks are told. Once for each type."""
        return self.ask("register", resource_type=resource_type, path=path, counters=list(counters), hooks=list(hooks))

    def context(self, name: str | None = None, /, **resources: Named) -> ResourceContext[Given]:
        """Makes a context that stands on no other one, with these resources."""
        return self._push(name, None, resources)

    def proceed(self, hook: ResourceEvent | int, *, value: Any = _MISSING, refuse: str | None = None) -> Given:
        """Answers a ``will`` hook. The operation goes on, with another value if one is given; with ``refuse`` it is not
        done, and its call raises CanceledError with this text."""
        number = hook.hook if isinstance(hook, ResourceEvent) else hook
        return self.ask("continue", hook=number, refuse=refuse, **_given(value=value))

    def statistics(self) -> Given:
        """The numbers of types, counters and contexts, and ``in_flight``: that of operations in flight."""
        return self.ask("statistics")

    def ask(self, action: str, **arguments: Any) -> Given:
        """Asks for an action ``resource_…`` of docs/actions.md."""
        return self._ask({"action": "resource_" + action, **arguments})

    def _push(self, name: str | None, parent: str | None, resources: Mapping[str, Named]) -> ResourceContext[Given]:
        name = f"#{next(_numbers)}" if name is None else name
        pushed = self.ask("push", context=name, parent=parent, resources=dict(resources))
        return ResourceContext(self, name, pushed)


class ResourceContext(Generic[Given]):
    """A context: named resources, on top of those of its parent. Since 0.1."""

    def __init__(self, resources: Resources[Given], name: str, pushed: Given) -> None:
        #: The name of the context in actions and events.
        self.name = name
        #: The call that made it.
        self.pushed = pushed
        self._resources = resources

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.name}>"

    def push(self, name: str | None = None, /, **resources: Named) -> ResourceContext[Given]:
        """Makes a context that stands on this one."""
        return self._resources._push(name, self.name, resources)

    def pop(self) -> Given:
        """Ends the context and frees its name. Contexts that stand on this one keep its resources."""
        return self._ask("pop")

    def reset(self, **resources: Named) -> Given:
        """Replaces the context's own resources by these."""
        return self._ask("reset", resources=resources)

    def lookup(self, name: str | None = None) -> Given:
        """Gives ``resources``: those seen from here, of each name the topmost; with ``name`` only that one."""
        return self._ask("lookup", name=name)

    def ref(self, resource_type: str, key: str | None = None) -> Given:
        """Gives ``path``, the path of an object."""
        return self._ask("ref", resource_type=resource_type, key=key)

    def collection_ref(self, resource_type: str) -> Given:
        """Gives ``path``, the path of all objects of a type."""
        return self._ask("collection_ref", resource_type=resource_type)

    def create(
        self,
        resource_type: str,
        value: Any,
        key: str | None = None,
        *,
        when: When = "answered",
        timeout_ms: int | None = None,
    ) -> Given:
        """Creates an object, under a new key unless one is given. Gives ``key``, ``path`` and what it counted.

        Done when the service has answered, or with ``when="kept"`` when the write cannot be lost any more.
        """
        return self._write("create", resource_type, key, when, timeout_ms, value=value)

    def update(
        self,
        resource_type: str,
        value: Mapping[str, Any],
        key: str | None = None,
        *,
        when: When = "answered",
        timeout_ms: int | None = None,
    ) -> Given:
        """Changes members of an object, or values at paths below it; the others stay."""
        return self._write("update", resource_type, key, when, timeout_ms, value=dict(value))

    def destroy(
        self, resource_type: str, key: str | None = None, *, when: When = "answered", timeout_ms: int | None = None
    ) -> Given:
        """Removes an object."""
        return self._write("destroy", resource_type, key, when, timeout_ms)

    def create_or_update(
        self,
        resource_type: str,
        value: Any,
        key: str | None = None,
        *,
        exists: bool | None = None,
        when: When = "answered",
        timeout_ms: int | None = None,
    ) -> Given:
        """Updates an object that exists, creates one that does not. Without ``exists`` the service is asked whether it
        does."""
        return self._write("create_or_update", resource_type, key, when, timeout_ms, exists=exists, value=value)

    def toggle(
        self,
        resource_type: str,
        value: Any = _MISSING,
        key: str | None = None,
        *,
        exists: bool | None = None,
        when: When = "answered",
        timeout_ms: int | None = None,
    ) -> Given:
        """Destroys an object that exists, creates one that does not. With ``exists=True`` no ``value`` is needed."""
        return self._write("toggle", resource_type, key, when, timeout_ms, exists=exists, **_given(value=value))

    def _write(
        self, action: str, resource_type: str, key: str | None, when: When, timeout_ms: int | None, **more: Any
    ) -> Given:
        return self._ask(action, resource_type=resource_type, key=key, when=when, timeout_ms=timeout_ms, **more)

    def _ask(self, action: str, **arguments: Any) -> Given:
        return self._resources.ask(action, context=self.name, **arguments)


def _given(**arguments: Any) -> dict[str, Any]:
    """The arguments that were given. None counts as given."""
    return {key: value for key, value in arguments.items() if value is not _MISSING}


__all__ = ["Counter", "Hook", "Named", "Resource", "ResourceContext", "Resources", "When"]
