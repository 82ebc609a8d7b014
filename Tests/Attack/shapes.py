"""Documents for the C interface: right ones by the documented keys, and hostile ones made from them."""

import json

URLS = ["c0", "c1", "c2", "nowhere", "a/b+c&d;e%", "ü", "\x01"]
REQUESTS = [f"r{i}" for i in range(20)]
RULES = ["$key", "$value", "name", "last_message/created_at", "a/b/c"]

# Keys by kind: t text, u channel URL, m message id, n number, b boolean, l list of texts, v any value, o object of
# texts, c object of numbers, p path of the database, r number of a call, otherwise one of the words.
ACTIONS = {
    "edit_message": "channel_url:u message_id:m message:t data:t custom_type:t mention_type:users|channel "
                    "mentioned_user_ids:l",
    "delete_message": "channel_url:u message_id:m", "add_reaction": "channel_url:u message_id:m key:t",
    "remove_reaction": "channel_url:u message_id:m key:t", "pin_message": "channel_url:u message_id:m",
    "unpin_message": "channel_url:u message_id:m", "translate_message": "channel_url:u message_id:m target_langs:l",
    "create_meta_array_keys": "channel_url:u message_id:m keys:l",
    "delete_meta_array_keys": "channel_url:u message_id:m keys:l",
    "add_meta_array_values": "channel_url:u message_id:m values:x",
    "remove_meta_array_values": "channel_url:u message_id:m values:x",
    "create_poll": "title:t options:l data:t allow_user_suggestion:b allow_multiple_votes:b close_at:n",
    "get_poll": "channel_url:u poll_id:m", "list_polls": "channel_url:u limit:n token:t",
    "update_poll": "channel_url:u poll_id:m title:t data:t allow_multiple_votes:b close_at:n",
    "close_poll": "channel_url:u poll_id:m", "delete_poll": "channel_url:u poll_id:m",
    "add_poll_option": "channel_url:u poll_id:m text:t",
    "update_poll_option": "channel_url:u poll_id:m option_id:m text:t",
    "delete_poll_option": "channel_url:u poll_id:m option_id:m",
    "vote_poll": "channel_url:u message_id:m poll_id:m option_ids:l",
    "list_poll_voters": "channel_url:u poll_id:m option_id:m limit:n token:t",
    "list_poll_changes": "channel_url:u since:n limit:n token:t",
    "schedule_message": "channel_url:u scheduled_at:n message:t data:t custom_type:t mentioned_user_ids:l",
    "get_scheduled_message": "channel_url:u scheduled_message_id:m",
    "list_scheduled_messages": "channel_url:u status:l order:scheduled_at|created_at reverse:b limit:n token:t",
    "update_scheduled_message": "channel_url:u scheduled_message_id:m scheduled_at:n message:t",
    "cancel_scheduled_message": "channel_url:u scheduled_message_id:m",
    "send_scheduled_message_now": "channel_url:u scheduled_message_id:m",
    "set_draft": "channel_url:u parent_message_id:m message:t data:t reply_to:m",
    "download_file": "url:t path:t overwrite:b max_bytes:n", "file_url": "url:t",
    "mark_as_read": "channel_url:u", "mark_all_as_read": "channel_urls:l",
    "mark_as_unread": "channel_url:u message_id:m",
    "mark_as_delivered": "channel_url:u time:n", "start_typing": "channel_url:u", "end_typing": "channel_url:u",
    "create_channel": "user_ids:l channel_url:u is_super:b is_broadcast:b is_ephemeral:b strict:b name:t cover_url:t "
                      "data:t custom_type:t is_distinct:b is_public:b access_code:t message_survival_seconds:n",
    "get_channel": "channel_url:u", "update_channel": "channel_url:u name:t data:t custom_type:t is_public:b",
    "hide_channel": "channel_url:u hide_previous_messages:b allow_auto_unhide:b", "unhide_channel": "channel_url:u",
    "freeze_channel": "channel_url:u", "unfreeze_channel": "channel_url:u", "reset_history": "channel_url:u",
    "get_message": "channel_url:u message_id:m", "invite": "channel_url:u user_ids:l",
    "accept_invitation": "channel_url:u access_code:t", "decline_invitation": "channel_url:u",
    "join": "channel_url:u access_code:t", "leave": "channel_url:u should_remove_operator_status:b",
    "list_members": "channel_url:u "
    "order:member_nickname_alphabetical|operator_then_member_alphabetical limit:n token:t",
    "add_operators": "channel_url:u user_ids:l", "remove_operators": "channel_url:u user_ids:l",
    "list_operators": "channel_url:u limit:n token:t", "mute_user": "channel_url:u user_id:t seconds:n description:t",
    "unmute_user": "channel_url:u user_id:t", "list_muted_users": "channel_url:u limit:n token:t",
    "ban_user": "channel_url:u user_id:t seconds:n", "unban_user": "channel_url:u user_id:t",
    "list_banned_users": "channel_url:u limit:n token:t",
    "create_metadata": "channel_url:u metadata:o", "update_metadata": "channel_url:u metadata:o upsert:b",
    "delete_metadata": "channel_url:u keys:l", "get_metadata": "channel_url:u keys:l",
    "create_counters": "channel_url:u counters:c",
    "update_counters": "channel_url:u counters:c mode:set|increase upsert:b",
    "delete_counters": "channel_url:u keys:l", "get_counters": "channel_url:u keys:l",
    "get_push_preference": "channel_url:u", "set_push_preference": "channel_url:u push_trigger_option:default|all|off",
    "set_count_preference": "channel_url:u count_preference:all|off", "list_users": "user_ids:l limit:n token:t",
    "block_user": "user_id:t", "unblock_user": "user_id:t", "list_blocked_users": "limit:n token:t",
    "update_profile": "nickname:t profile_url:t preferred_languages:l", "list_push_tokens": "type:gcm|apns|huawei",
    "register_push_token": "type:gcm|apns|huawei token:t is_unique:b",
    "unregister_push_token": "type:gcm|apns|huawei token:t", "unregister_all_push_tokens": "",
    "report_user": "user_id:t channel_url:u category:spam|harassing description:t",
    "report_channel": "channel_url:u user_id:t category:spam|harassing description:t",
    "report_message": "channel_url:u message_id:m user_id:t category:spam|harassing description:t",
    "search_messages": "query:t channel_url:u custom_type:t since:n until:n exact:b reverse:b limit:n token:t",
    "list_public_channels": "membership:all|joined custom_types:l channel_name_contains:t limit:n token:t",
    "service_info": "",
    "database_get": "path:p order_by:k start_at:v end_at:v equal_to:v limit_to_first:n limit_to_last:n shallow:b",
    "database_set": "path:p value:v when:answered|kept", "database_update": "path:p values:d when:answered|kept",
    "database_push": "path:p value:v when:answered|kept", "database_remove": "path:p when:answered|kept",
    "database_count": "path:p by:n when:answered|kept", "database_transaction": "path:p",
    "database_transformed": "transaction:r value:v abort:b",
    "database_listen": "path:p order_by:k start_at:v end_before:v limit_to_first:n limit_to_last:n",
    "database_unlisten": "listen:r", "database_set_token": "token:t", "database_offline": "", "database_online": "",
    "resource_register": "resource_type:t path:p counters:q hooks:h", "resource_push": "context:t parent:t resources:o",
    "resource_reset": "context:t resources:o", "resource_pop": "context:t", "resource_lookup": "context:t name:t",
    "resource_create": "resource_type:t context:t key:t value:v when:answered|kept",
    "resource_update": "resource_type:t context:t key:t value:d when:answered|kept",
    "resource_create_or_update": "resource_type:t context:t key:t value:v exists:b when:answered|kept",
    "resource_destroy": "resource_type:t context:t key:t",
    "resource_toggle": "resource_type:t context:t value:v exists:b",
    "resource_continue": "hook:r value:v refuse:t", "resource_ref": "resource_type:t context:t key:t",
    "resource_collection_ref": "resource_type:t context:t", "resource_statistics": "",
    "resend_failed_messages": "channel_url:u request_id:i", "remove_failed_messages": "channel_url:u request_id:i",
    "statistics": "", "options": "", "cancel": "request:r", "clear_channels": "", "set_limit": "collection:r limit:n",
    "evict": "channel_urls:l", "acknowledge": "id:n", "encrypt": "encryption_key:t encryption_passphrase:t",
    "rekey": "encryption_key:t encryption_passphrase:t full:b", "export": "path:t channel_url:u overwrite:b",
}
#: Of an attack in which the channels are deleted, most calls would be refused for that alone.
LEFT_OUT = {"delete_channel"}
MESSAGE = ("message:t data:t custom_type:t mention_type:users|channel mentioned_user_ids:l parent_message_id:m "
           "reply_to_channel:b silent:b push_option:default|suppress pin_message:b target_langs:l request_id:i "
           "poll_id:m mentioned_message_template:t extended_message_payload:d apple_critical_alert_options:d")
OWN = MESSAGE + " channel_url:u created_at:n url:t file:d files:y status:t user:d sorted_metaarray:z"
QUERY = ("limit:n order:latest_last_message|chronological|channel_name_alphabetical|metadata_value_alphabetical "
         "include_empty:b include_frozen:b include_member_list:b include_metadata:b channel_urls:l custom_types:l "
         "custom_type_starts_with:t channel_name_contains:t user_ids_exact:l member_state:all|joined_only "
         "super_channels:all|super public_channels:all|public unread_channels:all|unread_message "
         "hidden_channels:all|hidden_only metadata_key:t metadata_values:l metadata_order_key:t search_query:t "
         "search_fields:l created_before:n created_after:n nickname_exact:t")
FILTER = ("limit:n previous_limit:n next_limit:n is_inclusive:b reverse:b own_messages:at_once|on_fetch "
          "message_type:all|user|file|admin custom_types:l sender_ids:l reply_type:none|only_reply_to_channel|all "
          "parent_message_id:m include_reactions:b include_thread_info:b include_meta_array:b include_poll_details:b")
SEARCH = ("query:t prefix:b channel_urls:l sender_ids:l message_type:all|user|file|admin custom_types:l since:n "
          "until:n order:newest|relevance limit:n")
STREAM = ("source:s order_by:k descending:b start:v end:v limit:n predicate:w limit_after_predicate:n batch_delay:n "
          "batch_max_wait:n delivery:batch|delegate section:n")
STREAM_ACTIONS = {
    "set_predicate": "predicate:w", "set_limit": "limit_after_predicate:n",
    "fetch_more": "count:n direction:previous|next", "add": "rows:f", "remove": "keys:l", "reset": "rows:f",
    "find": "key:t", "item": "path:g", "slice": "section:n from:n count:n", "first_after": "key:t item:v",
    "last_before": "key:t item:v",
}
CONFIG = ("app_id:t user_id:t access_token:t service:sendbird|matrix delivery:host|thread queue_limit:n "
          "message_collection_capacity:n resend_policy:automatic|manual|none resend_retry_count:n "
          "failed_retention_days:n max_failed_per_channel:n request_timeout_ms:n file_timeout_ms:n "
          "uploads_at_once:n cache:file|none search:b encryption_key:t encryption_passphrase:t "
          "max_cache_mb:n cache_order:last_opened|host "
          "max_message_age_days:n notify:none|mentions|all "
          "send_by_rest:f "
          "expiring_session:f background_grace_ms:n app_version:t "
          "database:d ca_file:t")
NEEDED = {"channel_url", "message_id", "message", "path", "source", "request_id", "action"}
TEXTS = ["", "a", "x" * 300, "é\u0000b", "\ud83d\ude00", "$key", "../..", "root", "T", "-N",
         "\x1b[2J", "1", "𐀀" * 50]
NUMBERS = [0, 1, 2, 3, 20, 100, 200, -1, 2**31 - 1, 2**31, -2**31, 2**53, 2**63 - 1, -2**63, 1.0, 0.5, 1e308, -0.0]
VALUES = [None, True, False, 0, 1.5, "text", {"a": {"b": 1}}, [1, 2, 3], {".sv": "timestamp"},
          {".sv": {"increment": 3}},
          {".value": 1, ".priority": 2}, {"": 1}, {"a.b": 1}, [], {}, {"0": 1, "1": 2}, [None, None, 3]]
CONDITIONS = [True, False, "$host", {"==": ["name", "a"]}, {"<": ["$key", "m"]}, {"and": []}, {"or": []},
              {"not": {"exists": "a"}}, {"in": ["$value", [1, "2", None]]}, {"prefix": ["name", ""]},
              {">=": ["n", {"field": "m"}]}, {"==": ["name"]}, {"xor": []}, {"and": [{"not": True}] * 40}]
RAW = [b"", b"null", b"[]", b"{", b"{}", b'"x"', b"1", b'{"limit":1e999}', b'{"limit":' + b"9" * 400 + b"}",
       b'{"a":"\xff\xfe"}', b"\xef\xbb\xbf{}", b'{"a":"\xed\xa0\x80"}', b'{"a":1,"a":2}', b"[" * 100000,
       b'{"a":' * 3000, b'{"limit":20}garbage', b'{"limit":20,}', b'{"\\u0000":1}', b'{"message":"\\ud800"}',
       b'{"message":"\\u0000"}', b'{"action":"\\u0073tatistics"}', b"{'a':1}", b'{"limit":+1}', b'{"limit":01}',
       b'{"limit":NaN}', b'{"a":"' + b"y" * 70000 + b'"}', b'\x00{"a":1}', b"// {}", b'{"limit":-0}']


class Shapes:
    def __init__(self, random):
        self.random = random
        self.ids = ["1", "2", 3, 9, "9223372036854775807", "9223372036854775808", "-1", "0", "x", 0]
        self.handlers = {
            "t": lambda: random.choice(TEXTS), "u": lambda: random.choice(URLS), "m": lambda: random.choice(self.ids),
            "n": lambda: random.choice(NUMBERS if random.random() < 0.2 else [1, 2, 20, 50]),
            "b": lambda: random.random() < 0.5,
            "l": self.texts,
            "v": lambda: random.choice(VALUES), "o": lambda: {text: "v" for text in self.texts()},
            "c": lambda: {text: random.choice(NUMBERS[:12]) for text in self.texts()},
            "x": lambda: {text: self.texts() for text in self.texts()}, "p": self.path,
            "k": lambda: random.choice(RULES),
            "r": lambda: random.choice([0, 1, 2, 3, 4, 2**63 - 1, random.randrange(500)]),
            "d": lambda: {"a": random.choice(VALUES), "b/c": 1}, "w": lambda: random.choice(CONDITIONS),
            "i": lambda: random.choice(REQUESTS), "f": self.rows, "g": lambda: [0, random.choice(NUMBERS)],
            "s": self.source, "y": lambda: [{"url": "u"}] * random.randrange(3), "h": lambda: ["action", "did_create"],
            "q": lambda: [{"name": "n", "counting": "T", "predicate": random.choice(CONDITIONS)}],
            "z": lambda: [{"key": "k", "value": self.texts()}],
        }

    def texts(self):
        return [self.random.choice(TEXTS + ["u0", "u1"]) for _ in range(self.random.randrange(4))]

    def path(self):
        parts = ["a", "b", "0", "-N", "$group", "@", "é", "x" * 800, "", ".", "a.b", "$", "#", "[", "deep" + "/d" * 40]
        return "/".join(self.random.choice(parts[:5] if self.random.random() < 0.8 else parts)
                        for _ in range(self.random.randrange(4)))

    def rows(self):
        return [{"key": self.random.choice(TEXTS + ["k1", "k2", "k3"]), "item": self.random.choice(VALUES)}
                for _ in range(self.random.randrange(5))]

    def source(self):
        return self.random.choice([
            "transient", {"channels": {"limit": 5}}, {"messages": {"channel_url": self.random.choice(URLS)}},
            {"database": {"path": self.path()}}, {"union": [self.random.randrange(9) for _ in range(3)]},
            {"partition": {"stream": self.random.randrange(9), "titles": ["x", "y"], "rule": [True, False]}},
            {"partition": {"stream": 1, "titles": [], "rule": "$host"}}, "nothing", {}])

    def document(self, table, share=0.4):
        """An object with some of the keys of a table."""
        made = {}
        for word in table.split():
            name, kind = word.split(":", 1)
            if name in NEEDED or self.random.random() < share:
                handler = self.handlers.get(kind)
                made[name] = handler() if handler else self.random.choice(kind.split("|"))
        return made

    def action(self, actions=None):
        actions = actions or ACTIONS
        name = self.random.choice(list(actions))
        made = {"action": name, **self.document(actions[name], 0.7)}
        if self.random.random() < 0.05 and actions is ACTIONS:
            made["timeout_ms"] = self.random.choice([1, 5, 86400000, 0, -1, "x"])
        return made

    def hostile(self, made):
        """Bytes of a document that is spoilt in one way, or as it is."""
        random = self.random
        way = random.random()
        if way < 0.03:
            return random.choice(RAW)
        if way < 0.14 and made:
            made[random.choice(list(made))] = random.choice(
                VALUES + NUMBERS + TEXTS + [[[]] * 5, {"a": {"b": {"c": {}}}}, self.texts(), [1] * 200])
        elif way < 0.18:
            made[random.choice(["limt", "", "\u0000", "action", "x" * 1000, "LIMIT"])] = 1
        elif way < 0.2:
            deep = "x"
            for _ in range(random.choice([10, 70, 400])):
                deep = [deep] if random.random() < 0.5 else {"not": deep}
            made[random.choice(["value", "predicate", "data", "item"])] = deep
        text = json.dumps(made, ensure_ascii=random.random() < 0.5).encode("utf-8", "surrogatepass")
        if way > 0.96:
            place = random.randrange(len(text))
            text = text[:place] + bytes([random.randrange(256)]) + text[place + random.randrange(2):]
        elif way > 0.94:
            text = text[:random.randrange(len(text) + 1)]
        return text
