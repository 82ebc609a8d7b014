"""A chat with a window: GTK 4 and libadwaita over the lists of ``syncmanager``.

    python3 -m gtk_chat --try             a server of its own with sample data, and somebody who answers
    python3 -m gtk_chat CONFIG.json       a user of a service

Begin with ``window``. Needs Debian's python3-gi, gir1.2-gtk-4.0 (4.8 or later) and gir1.2-adw-1 (1.2 or later).
"""
