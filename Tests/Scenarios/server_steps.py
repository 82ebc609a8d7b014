"""What the server does in a scenario."""

from __future__ import annotations

from urllib.parse import quote


class ServerSteps:
    """A step {"server": NAME, ...} is the method server_NAME with the other members."""

    # Channels

    def server_channel(self, url, members=("mei", "bo"), **more):
        """No two channels of a scenario have one created_at, which counts seconds: their order would be their URLs'."""
        if self.has_channels:
            self.server.advance_clock(1_000)
        self.has_channels = True
        self.server.create_channel(url, *members, **more)

    def server_change(self, url, **fields):
        self.in_channel("PUT", url, "", fields)

    def server_remove(self, url):
        self.in_channel("DELETE", url)

    def server_freeze(self, url, freeze=True):
        self.in_channel("PUT", url, "/freeze", {"freeze": freeze})

    def server_metadata(self, url, create=None, update=None, delete=None):
        self.change_map(url, "metadata", create, update, delete)

    def server_counters(self, url, create=None, update=None, delete=None):
        self.change_map(url, "metacounter", create, update, delete)

    def change_map(self, url, name, create, update, delete):
        if create:
            self.in_channel("POST", url, "/" + name, {name: create})
        if update:
            self.in_channel("PUT", url, "/" + name, {name: update})
        if delete:
            self.in_channel("DELETE", url, f"/{name}/{quote(delete, safe='')}")

    # Members

    def server_invite(self, url, users, by=None):
        self.in_channel("POST", url, "/invite", {"user_ids": users, **({"inviter_id": by} if by else {})})

    def server_invitations(self, user, auto_accept):
        """Whether invitations let the user in at once."""
        self.server.request("PUT", f"/v3/users/{user}/channel_invitation_preference", {"auto_accept": auto_accept})

    def server_accept(self, url, user):
        self.in_channel("PUT", url, "/accept", {"user_id": user})

    def server_decline(self, url, user):
        self.in_channel("PUT", url, "/decline", {"user_id": user})

    def server_join(self, url, user):
        self.in_channel("PUT", url, "/join", {"user_id": user})

    def server_leave(self, url, users):
        self.in_channel("PUT", url, "/leave", {"user_ids": users})

    def server_mute(self, url, user, **more):
        self.in_channel("POST", url, "/mute", {"user_id": user, **more})

    def server_unmute(self, url, user):
        self.in_channel("DELETE", url, "/mute/" + user)

    def server_ban(self, url, user, **more):
        self.in_channel("POST", url, "/ban", {"user_id": user, **more})

    def server_unban(self, url, user):
        self.in_channel("DELETE", url, "/ban/" + user)

    def server_operators(self, url, add=None, remove=None):
        if add:
            self.in_channel("POST", url, "/operators", {"operator_ids": add})
        if remove:
            self.in_channel("DELETE", url, "/operators", {"operator_ids": remove})

    def server_hide(self, url, user="mei", **more):
        self.in_channel("PUT", url, "/hide", {"user_id": user, **more})

    def server_unhide(self, url, user="mei"):
        self.in_channel("DELETE", url, "/hide", {"user_id": user})

    def server_reset_history(self, url, user="mei"):
        self.in_channel("PUT", url, "/reset_user_history", {"user_id": user})

    def server_read(self, url, user):
        self.in_channel("PUT", url, "/messages/mark_as_read", {"user_id": user})

    def server_unread(self, url, user, message):
        """A message and what follows it is unread again."""
        body = {"user_id": user, "is_excluded": True, "message_id": self.named[message]["message_id"]}
        self.in_channel("PUT", url, "/messages/mark_as_read", body)

    def server_delivered(self, url, user):
        self.in_channel("PUT", url, "/messages/mark_as_delivered", {"user_id": user})

    def server_typing(self, url, user="bo", typing=True):
        self.server.set_typing(url, user, typing)

    # Messages

    def server_post(self, url, text, by="bo", **more):
        """A message that is later than everything before it, also on a machine that posts twice in a millisecond."""
        self.server.advance_clock(1)
        name = more.pop("as", None)
        if "thread" in more:
            more["parent_message_id"] = self.named[more.pop("thread")]["message_id"]
        message = self.server.post(url, by, text, **more)
        self.named[name or text] = message

    def server_posts(self, url, texts, by="bo", apart=0):
        """Messages one after the other; `apart` ms between them on the server's clock."""
        for text in texts:
            self.server_post(url, text, by)
            if apart:
                self.server.advance_clock(apart)

    def server_same_time(self, url, texts, by="bo"):
        """Messages of one millisecond."""
        self.server_post(url, texts[0], by)
        for text in texts[1:]:
            self.server_post(url, text, by, created_at=self.named[texts[0]]["created_at"])

    def server_burst(self, url, count, by="bo"):
        self.server.control("post_messages", channel_url=url, user_id=by, count=count)

    def server_large(self, url, count, kilobytes, by="bo"):
        """Messages whose `data` has so many KiB, and whose texts are the channel's URL and their numbers."""
        self.server.advance_clock(1)
        made = self.server.control(
            "post_messages", channel_url=url, user_id=by, count=count, text=url, data_bytes=kilobytes << 10)
        for number, message_id in enumerate(made["message_ids"], 1):
            self.named[f"{url} {number}"] = {"message_id": message_id}

    def server_edit(self, url, message, text):
        self.server.edit(url, self.named[message]["message_id"], text)

    def server_edit_fields(self, url, message, **fields):
        self.on_message("PUT", url, message, "", {"message_type": "MESG", **fields})

    def server_move(self, url, message, behind=None, before=None):
        """The service gives a message a time just behind or before another one's, and tells it as an edit."""
        moved, other = self.named[message], self.named[behind or before]
        created_at = other["created_at"] + (1 if behind else -1)
        self.server.control(
            "move_message", channel_url=url, message_id=moved["message_id"], created_at=created_at)
        moved["created_at"] = created_at

    def server_delete(self, url, message):
        self.server.delete(url, self.named[message]["message_id"])

    def server_react(self, url, message, key, by="bo", method="POST"):
        self.on_message(method, url, message, "/reactions", {"reaction": key, "user_id": by})

    def server_pin(self, url, message, pin=True):
        self.on_message("POST" if pin else "DELETE", url, message, "/pin", {"user_id": "bo"})

    def server_purge(self, message, scope="global"):
        """The application's retention takes away all messages up to that one; of channels of a type, or of all."""
        time = self.named[message]["created_at"]
        self.server.control("settings", message_purge_offset={scope: time})

    # Files

    def server_file(self, size, require_auth=False, **more):
        """Stores a file of so many bytes; later steps name it."""
        self.files[more["as"]] = self.server.upload(self.content(size), require_auth=require_auth)

    # The realtime database

    def server_database(self, path, value=None, method="PUT"):
        """What the administration writes there."""
        self.server.database(method, path, value)

    def server_database_rules(self, **rules):
        self.server.database("PUT", "/.settings/rules", {"rules": rules})

    # Everything else, and faults

    def server_rest(self, method, path, body=None, url=None):
        self.server.request(method, (self.server.channel(url) if url else "/v3") + path, body)

    def server_kill(self):
        self.server.kill()

    def server_restart(self):
        self.server.restart(*self.document.get("server", []))

    def server_control(self, verb, **more):
        self.server.control(verb, **more)

    def server_forget_traffic(self):
        """The expectation `requests` counts from here."""
        self.server.request("DELETE", "/control/received")

    def server_revoke(self, user="mei"):
        """Revokes the user's tokens and ends the sessions; the step {"host": "token"} brings the new one."""
        for account in self.server.revoke_tokens(user):
            self.users[account["user_id"]] = account

    def in_channel(self, method, url, path="", body=None):
        self.server.request(method, self.server.channel(url) + path, body)

    def on_message(self, method, url, message, path, body):
        self.in_channel(method, url, f"/messages/{self.named[message]['message_id']}{path}", body)
