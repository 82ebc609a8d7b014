"""Compares what clients show at the end of a story with what the server's REST answers say."""

import collections

import server
import sm


def reactions(message):
    return sorted((each["key"], sorted(each["user_ids"])) for each in message.get("reactions") or []
                  if each["user_ids"])


def brief(message):
    return (message["message_id"], message["message"], message["data"], tuple(map(str, reactions(message))),
            (message.get("thread_info") or {}).get("reply_count", 0))


def is_reply(message):
    return bool(message.get("parent_message_id"))


class Truth:
    """What the server says, asked once for each comparison."""

    def __init__(self, story):
        host = story.host
        self.messages = {url: host.all_messages(url) for url in story.urls}
        self.tree = host.data("/") or {}
        self.channels, self.members = {}, {}
        for user in "abc":
            path = (f"users/{user}/my_group_channels?limit=100&show_empty=true&show_frozen=true&show_member=true"
                    "&order=latest_last_message&hidden_mode=unhidden_only&member_state_filter=all")
            self.channels[user] = host.rest("GET", path)["channels"]
            everything = host.rest("GET", path.replace("unhidden_only", "all"))["channels"]
            self.members[user] = {each["channel_url"] for each in everything}

    def place(self, path):
        value = self.tree
        for part in filter(None, path.split("/")):
            value = value.get(part) if isinstance(value, dict) else None
        return value


def channel_brief(channel):
    last = channel.get("last_message") or {}
    return (channel["channel_url"], channel["name"], channel["unread_message_count"], last.get("message_id"),
            channel["member_count"], channel["freeze"])


def in_order(channels):
    """By the last message, the newest first, as both sides have them; the service says nothing of equal times, and the
    library takes the URLs then (docs/queries.md)."""
    def place(channel):
        last = channel.get("last_message")
        return (not last, -(last or channel)["created_at"], channel["channel_url"])
    return sorted(channels, key=place)


def odd(kind, mine, theirs):
    """The first difference of two lists, in words."""
    only = [each for each in mine if each not in theirs][:2]
    missing = [each for each in theirs if each not in mine][:2]
    ends = f"shown {mine[0][0]}..{mine[-1][0]}, there {theirs[0][0]}..{theirs[-1][0]}, " if mine and theirs else ""
    return f"{kind}: {len(mine)} shown, {len(theirs)} there; {ends}only shown {only}, missing {missing}"[:400]


def of_messages(truth, url):
    return [brief(each) for each in truth.messages[url] if not is_reply(each)]


def of_thread(truth, url, parent):
    return [brief(each) for each in truth.messages[url] if str(each.get("parent_message_id")) == str(parent)]


def compare_view(actor, truth, kind, what, rows):
    if kind in ("own", "search"):  # of a search the service does not say what is cached
        return None
    if kind in ("messages", "thread"):
        url = what if kind == "messages" else what[0]
        if url not in truth.members[actor.user]:
            return None
        mine = [brief(each) for each in rows.lists["succeeded"]]
        if kind == "thread" and not any(each["message_id"] == what[1] for each in truth.messages[url]):
            return None
        theirs = of_messages(truth, url) if kind == "messages" else of_thread(truth, *what)
        if rows.lists["pending"]:
            return f"{kind} {what}: {len(rows.lists['pending'])} still pending"
    elif kind == "channels":
        mine = [channel_brief(each) for each in rows.lists["channels"]]
        theirs = [channel_brief(each) for each in in_order(truth.channels[actor.user])]
    else:
        shown = rows.sections[0] if rows.sections else []
        if kind == "messagestream":
            if what not in truth.members[actor.user]:
                return None
            mine, theirs = [brief(item) for _, item in shown], of_messages(truth, what)
        elif kind == "channelstream":
            mine = [channel_brief(item) for _, item in shown]
            theirs = [channel_brief(each) for each in in_order(truth.channels[actor.user])]
        else:
            mine, theirs = shown, sorted((truth.place(what) or {}).items())
    return None if mine == theirs else odd(f"{kind} {what}", mine, theirs)


def own_messages(story, truth):
    """Each accepted message is there exactly once, or failed, or was given up or deleted."""
    found = collections.Counter(each["message"] for rows in truth.messages.values() for each in rows)
    wrong = []
    for actor in story.actors:
        failed = {each["message"] for rows in actor.mirror.of.values() if "failed" in getattr(rows, "lists", {})
                  for each in rows.lists["failed"]}
        for text, where in actor.sends.items():
            if found[text] > 1:
                wrong.append(f"{actor.name}: sent {found[text]} times: {text[:40]!r}")
            elif not found[text] and text not in failed | actor.free | story.deleting:
                wrong.append(f"{actor.name}: lost: {text[:40]!r} of {where}")
    return wrong


def database(story, truth):
    wrong = []
    for actor in story.actors:
        place = truth.place(f"own/{actor.name}") or {}
        if place != actor.writes:
            keys = [key for key in sorted({*place, *actor.writes}) if place.get(key) != actor.writes.get(key)]
            wrong.append(f"{actor.name}: database has " + "; ".join(
                f"{key}: {str(place.get(key))[:80]}, written was {str(actor.writes.get(key))[:80]}" for key in keys))
        pushes = list((truth.place(f"push/{actor.name}") or {}).values())
        if pushes != actor.pushes:
            wrong.append(f"{actor.name}: pushes {len(pushes)} there, {len(actor.pushes)} accepted, "
                         f"order or content differ")
        for number, path in actor.listens.items():
            told = actor.values.get(number)
            if told is None or told["value"] != truth.place(path) or not told["current"]:
                wrong.append(f"{actor.name}: listen of {path!r} was told "
                             f"{told and (told['current'], str(told['value'])[:200])}, "
                             f"there is {str(truth.place(path))[:200]}")
    return wrong


def unread(story, truth):
    wrong = []
    for actor in story.actors:
        there = story.host.rest("GET", f"users/{actor.user}/unread_message_count")["unread_count"]
        if actor.unread != there:
            wrong.append(f"{actor.name}: unread_counts told {actor.unread}, REST says {there}")
    return wrong


def compare(story):
    truth = Truth(story)
    wrong = []
    for actor in story.actors:
        for number, (kind, what, collection) in actor.views.items():
            words = compare_view(actor, truth, kind, what, actor.mirror.of[number])
            if words:
                info = {name: value for name, value in collection.info().items() if name.startswith("has_")}
                more = actor.client.results.get(actor.more.get(number))
                wrong.append(f"{actor.name}: {words} {info or more} collection {number}")
    return wrong + own_messages(story, truth) + database(story, truth) + unread(story, truth)
