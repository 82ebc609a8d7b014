"""Polls in a scenario: what others do with them, what the host does, and how a poll must be shown."""

from __future__ import annotations


class PollSteps:
    """Polls go by the names of the messages that show them, options by their texts."""

    def poll_path(self, poll, part=""):
        return f"/v3/polls/{self.polls[poll]['id']}{part}"

    def poll_on_server(self, poll, user="bo"):
        self.polls[poll] = self.server.request("GET", self.poll_path(poll) + f"?user_id={user}")
        return self.polls[poll]

    def option_ids(self, poll, options):
        known = {option["text"]: option["id"] for option in self.polls[poll]["options"]}
        if not all(option in known for option in options):
            known.update({option["text"]: option["id"] for option in self.poll_on_server(poll)["options"]})
        return [known[option] for option in options]

    # The server

    def server_poll(self, url, title, options, by="bo", close_in=None, **more):
        """A poll, and the message that shows it, which has its title as its text. `close_in`: seconds."""
        if close_in is not None:
            more["close_at"] = self.server.control("advance_clock", ms=0)["ts"] // 1000 + close_in
        fields = {"user_id": by, "title": title, "options": options, **more}
        self.polls[title] = self.server.request("POST", "/v3/polls", fields)
        self.server_post(url, title, by, poll_id=self.polls[title]["id"])

    def server_vote(self, poll, options, by="bo"):
        fields = {"user_id": by, "option_ids": self.option_ids(poll, options)}
        self.server.request("PUT", self.poll_path(poll, "/vote"), fields)

    def server_change_poll(self, poll, by="bo", **fields):
        self.server.request("PUT", self.poll_path(poll), {"user_id": by, **fields})

    def server_close_poll(self, poll, by="bo"):
        self.server.request("PUT", self.poll_path(poll, "/close"), {"user_id": by})

    def server_delete_poll(self, poll, by="bo"):
        self.server.request("DELETE", self.poll_path(poll) + f"?user_id={by}")

    def server_poll_option(self, poll, text, by="bo", option=None):
        """A new option, or another text for one."""
        fields = {"user_id": by, "text": text}
        if option is None:
            self.server.request("POST", self.poll_path(poll, "/options"), fields)
        else:
            self.server.request("PUT", self.option_path(poll, option), fields)

    def server_delete_poll_option(self, poll, option, by="bo"):
        self.server.request("DELETE", self.option_path(poll, option) + f"?user_id={by}")

    def option_path(self, poll, option):
        return self.poll_path(poll, f"/options/{self.option_ids(poll, [option])[0]}")

    # The host

    def host_create_poll(self, title, options, result=(), **more):
        """Made and not sent; `poll` of a `send` with that title sends it."""
        self.host_call("create_poll", result=None, title=title, options=options, **more)
        event = self.finish(self.last_request, dict(result))
        if event.get("result"):
            self.polls[title] = event["result"]

    def host_send_poll(self, on, poll, result=(), **fields):
        """A message with the poll and its title; named as the poll is."""
        self.begin(None, "send", on=on, message={"message": poll, "poll_id": self.polls[poll]["id"], **fields})
        event = self.finish(self.last_request, dict(result))
        if event.get("message"):
            self.named[poll] = event["message"]

    def host_poll_call(self, action, url, poll, option=None, options=None, as_text=False, result=(), **more):
        """An action on a poll. `as_text`: its numbers are given as texts."""
        def number(value):
            return str(value) if as_text else value

        arguments = {"channel_url": url, "poll_id": number(self.polls[poll]["id"]), **more}
        if option is not None:
            arguments["option_id"] = number(self.option_ids(poll, [option])[0])
        if options is not None:
            arguments["option_ids"] = [number(value) for value in self.option_ids(poll, options)]
        if action == "vote_poll":
            arguments["message_id"] = number(self.named[poll]["message_id"])
        self.host_call(action, result=result, **arguments)

    # What is shown

    def expect_poll(self, on, poll, counts=None, chosen=None, **part):
        """The poll as it is shown: `counts` by the options' texts in their order, what this user has `chosen`, and
        other members. What is shown is what the server tells this user."""
        def shown():
            found = next(m for m in self.snapshot(on)["succeeded"] if m["message_id"] == message)["poll"]
            texts = {option["id"]: option["text"] for option in found["options"]}
            told = {key: found.get(key) for key in part}
            if counts is not None:
                told["counts"] = {option["text"]: option["vote_count"] for option in found["options"]}
            if chosen is not None:
                told["chosen"] = [texts[option] for option in found.get("voted_option_ids") or []]
            return told

        message = self.named[poll]["message_id"]
        wanted = {**part, **({} if counts is None else {"counts": counts})}
        self.until(shown, {**wanted, **({} if chosen is None else {"chosen": chosen})})

    def expect_poll_as_on_server(self, on, poll):
        """Counts, options, state and this user's choice are what the service tells this user."""
        def part(found):
            options = [(option["id"], option["text"], option["vote_count"]) for option in found["options"]]
            members = [found.get(key) for key in ("id", "title", "status", "voter_count", "close_at", "data")]
            return options, members, found.get("voted_option_ids") or []

        message = self.named[poll]["message_id"]
        wanted = part(self.poll_on_server(poll, self.config["user_id"]))
        self.until(
            lambda: part(next(m for m in self.snapshot(on)["succeeded"] if m["message_id"] == message)["poll"]), wanted)

    def expect_polls_told(self, on, source, polls):
        """The details of a collection's changes with this source name these polls with their messages, no others."""
        def told():
            changes = [event for event in self.events if event.get("collection") == self.collections[on]]
            facts = [fact for change in changes if change.get("source") == source for fact in change.get("detail", ())]
            return sorted({(fact["event"], fact["poll_id"], fact["message_id"]) for fact in facts})

        ids = [(str(self.polls[poll]["id"]), str(self.named[poll]["message_id"])) for poll in polls]
        self.until(told, sorted((source, *both) for both in ids))
