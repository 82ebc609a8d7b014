"""A chat with a window: GTK 4 and libadwaita over the lists of ``syncmanager``.

    python3 -m gtk_chat --try             a server of its own with sample data, and somebody who answers
    python3 -m gtk_chat CONFIG.json       a user of a service

``session`` has the client and its way into the main loop, ``pane`` a list of messages that pages while one scrolls,
``rows`` what a message looks like, ``window`` how all of it hangs together. Needs Debian's python3-gi, gir1.2-gtk-4.0
(4.8 or later) and gir1.2-adw-1 (1.2 or later).
"""
