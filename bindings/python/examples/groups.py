"""Groups, their messages and likes in a realtime database: what lies where is said once, and counted by the library."""

import json
import sys

from syncmanager import Config, SyncManagerError, blocking
from syncmanager.events import AnyEvent, ResourceEvent


def main(config: Config) -> None:
    with blocking.SyncManager(**config) as sm:
        resources = sm.resources
        resources.register("Group", "/group/@", counters=[{"name": "message_count", "counting": "Message"}])
        # Beside the groups, not in them: who listens to a group would get all of its messages.
        resources.register(
            "Message",
            "/group_message/$group/@",
            counters=[{"name": "likes", "counting": "Like"}],
            hooks=["will_create", "did_create", "persisted_create", "action"],
        )
        resources.register("Like", "/message_like/$group/$message/@")

        @sm.on_event
        def follow(event: AnyEvent) -> None:
            if not isinstance(event, ResourceEvent):
                return
            if event.step == "will" and "spam" in event.value["text"]:
                sm.start.resources.proceed(event, refuse="no spam")
            elif event.step == "will":
                sm.start.resources.proceed(event, value={**event.value, "by": config["user_id"]})
            elif event.step == "action":
                print(event.change, event.path, event.old, "->", event.new)
            elif event.step != "error":
                print(event.step, event.change, event.key)

        root = resources.context()
        group = root.create("Group", {"name": "hikers"}, "hikers")
        print("group", group["path"])

        hikers = root.push(group={"key": group["key"], "type": "Group"})
        message = hikers.create("Message", {"text": "where to?"}, "m1")
        try:
            hikers.create("Message", {"text": "spam"})
        except SyncManagerError as error:
            print("not created:", error)

        # A context for one call, on that of the group.
        shown = hikers.push(message={"key": message["key"], "type": "Message"})
        print("like", shown.toggle("Like", True, config["user_id"])["change"])
        print("like", shown.toggle("Like", True, config["user_id"])["change"])
        print("like", shown.toggle("Like", True, config["user_id"])["change"])
        hikers.update("Message", {"text": "where to, and when?"}, "m1")

        hikers.create("Message", {"text": "to the lake"}, "m2")
        hikers.destroy("Message", "m2")
        stored = sm.call("database_get", path=group["path"])["value"]
        print(stored["name"], "have", stored["message_count"], "message")


if __name__ == "__main__":
    main(json.loads(sys.argv[1]))
