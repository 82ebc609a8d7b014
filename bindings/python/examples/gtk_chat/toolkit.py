"""GTK and libadwaita in the versions that the rest needs. PyGObject has no types, so to a type checker all is Any."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    Adw: Any = None
    Gdk: Any = None
    Gio: Any = None
    GLib: Any = None
    Gtk: Any = None
    Pango: Any = None
else:
    import gi

    gi.require_version("Gtk", "4.0")
    gi.require_version("Adw", "1")
    from gi.repository import Adw, Gdk, Gio, GLib, Gtk, Pango  # noqa: F401


def later(function: Any, *arguments: Any) -> None:
    """Calls the function once, from the main loop. Any thread."""

    def once() -> bool:
        function(*arguments)
        return False

    GLib.idle_add(once)


def box(*children: Any, vertical: bool = False, spacing: int = 0, classes: tuple[str, ...] = (), **more: Any) -> Any:
    """A box with these children."""
    made = Gtk.Box(
        orientation=Gtk.Orientation.VERTICAL if vertical else Gtk.Orientation.HORIZONTAL,
        spacing=spacing,
        css_classes=list(classes),
        **more,
    )
    for child in children:
        made.append(child)
    return made


def label(*classes: str, ellipsize: bool = False, **more: Any) -> Any:
    """A label of plain text: nothing in it is markup."""
    if ellipsize:
        more["ellipsize"] = Pango.EllipsizeMode.END
    return Gtk.Label(css_classes=list(classes), use_markup=False, xalign=more.pop("xalign", 0), **more)


def icon_button(icon: str, tooltip: str, clicked: Any, *classes: str, **more: Any) -> Any:
    """A flat button with an icon; ``clicked`` is called with the button."""
    button = Gtk.Button(icon_name=icon, tooltip_text=tooltip, css_classes=["flat", *classes], **more)
    button.connect("clicked", clicked)
    return button


def clear(parent: Any) -> None:
    """Takes all children out of a box."""
    while (child := parent.get_first_child()) is not None:
        parent.remove(child)
