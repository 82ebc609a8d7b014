"""What the header says of each function: which errors it gives, and what its calls complete with."""

from sm import STATUS

HANDLE = "INVALID_HANDLE CLOSED"
DOCUMENT = HANDLE + " INVALID_ARGUMENT INVALID_DOCUMENT"


def numbers(words):
    return {STATUS[word] for word in words.split()}


ERRORS = {
    "sm_set_log": "INVALID_ARGUMENT REENTRANT",
    "sm_setup": "INVALID_ARGUMENT INVALID_DOCUMENT LOCKED STORAGE NEWER_SCHEMA CORRUPT_INTENTS "
               "WRONG_KEY NO_ENCRYPTION",
    "sm_connect": HANDLE, "sm_disconnect": HANDLE, "sm_resume_sync": HANDLE, "sm_pause_sync": HANDLE,
    "sm_set_token": HANDLE + " INVALID_ARGUMENT", "sm_set_foreground": HANDLE + " INVALID_ARGUMENT",
    "sm_sign_out": HANDLE, "sm_clear_cache": HANDLE + " INVALID_ARGUMENT", "sm_get_fd": HANDLE,
    "sm_next_event": HANDLE + " INVALID_ARGUMENT REENTRANT BUSY",
    "sm_dispatch": HANDLE + " INVALID_ARGUMENT REENTRANT BUSY",
    "sm_interrupt": HANDLE, "sm_set_callback": HANDLE, "sm_channel_collection_new": DOCUMENT,
    "sm_search_collection_new": DOCUMENT,
    "sm_message_collection_new": DOCUMENT, "sm_message_collection_open": DOCUMENT, "sm_collection_set_callback": HANDLE,
    "sm_fetch": HANDLE + " INVALID_ARGUMENT DUPLICATED_FETCH", "sm_fetch_all_next": HANDLE + " INVALID_ARGUMENT "
    "DUPLICATED_FETCH", "sm_fetch_failed": HANDLE, "sm_fetch_pending": HANDLE, "sm_collection_start": HANDLE,
    "sm_reset_viewpoint": HANDLE + " INVALID_ARGUMENT", "sm_collection_info": HANDLE + " INVALID_ARGUMENT",
    "sm_collection_snapshot": HANDLE + " INVALID_ARGUMENT", "sm_collection_contains": HANDLE + " INVALID_ARGUMENT",
    "sm_stream_open": DOCUMENT, "sm_stream_call": DOCUMENT, "sm_send_message": DOCUMENT, "sm_append_message": DOCUMENT,
    "sm_handle_send_response": DOCUMENT, "sm_update_message": DOCUMENT, "sm_delete_message": DOCUMENT,
    "sm_call": DOCUMENT,
}
# "When there is no room calls give SM_ERR_TOO_MANY_CALLS ... sm_close(), sm_collection_remove() and sm_disconnect()
# never take a slot."
WITHOUT_SLOT = {"sm_set_log", "sm_setup", "sm_disconnect", "sm_get_fd", "sm_next_event", "sm_dispatch", "sm_interrupt",
                "sm_collection_info", "sm_collection_snapshot", "sm_collection_contains"}
ERRORS = {name: numbers(words) | (set() if name in WITHOUT_SLOT else {STATUS["TOO_MANY_CALLS"]})
          for name, words in ERRORS.items()}

FETCH = "OK TIMEOUT CANCELED STORAGE NOT_FOUND REMOVED CLOSED"
COMPLETION = {
    "sm_connect": "OK TOKEN_REJECTED SERVICE NETWORK CANCELED CLOSED",
    "sm_sign_out": "OK STORAGE CLOSED", "sm_clear_cache": "OK STORAGE CANCELED CLOSED",
    "sm_message_collection_open": "OK NOT_FOUND STORAGE CLOSED", "sm_fetch": FETCH, "sm_fetch_all_next": FETCH,
    "sm_fetch_failed": "OK STORAGE REMOVED CLOSED", "sm_fetch_pending": "OK STORAGE REMOVED CLOSED",
    "sm_collection_start": FETCH + " DUPLICATED_FETCH",
    "sm_stream_call": "OK DUPLICATED_FETCH TIMEOUT CANCELED SERVICE INVALID_ARGUMENT NOT_FOUND STORAGE REMOVED "
                      "CLOSED",
    "sm_send_message": "OK NETWORK TIMEOUT SERVICE INVALID_ARGUMENT NOT_FOUND STORAGE REMOVED CANCELED CLOSED",
    "sm_append_message": "OK STORAGE NOT_OWN_MESSAGE REMOVED INVALID_ARGUMENT CLOSED",
    "sm_handle_send_response": "OK STORAGE NOT_OWN_MESSAGE REMOVED INVALID_ARGUMENT NOT_FOUND CLOSED",
    "sm_update_message": "OK NOT_FOUND NOT_OWN_MESSAGE STORAGE REMOVED CLOSED",
    "sm_delete_message": "OK NOT_FOUND NOT_OWN_MESSAGE STORAGE REMOVED CLOSED",
    # INVALID_ARGUMENT: docs/actions.md of resource_register and resource_push.
    "sm_call": "OK NOT_CONNECTED NETWORK TIMEOUT CANCELED NOT_FOUND NOT_OWN_MESSAGE SERVICE STORAGE TOKEN_REJECTED "
               "CLOSED INVALID_ARGUMENT NO_ENCRYPTION",
}
# LIMITS: what waits for an answer of the service may complete with TOO_LARGE.
LARGE = ("sm_connect", "sm_fetch", "sm_fetch_all_next", "sm_collection_start", "sm_stream_call", "sm_send_message",
         "sm_message_collection_open", "sm_call")
for waits in LARGE:
    COMPLETION[waits] += " TOO_LARGE"
COMPLETION = {name: numbers(words) for name, words in COMPLETION.items()}
NO_STATUS = {"sm_close", "sm_collection_remove", "sm_collection_number", "sm_string_free", "sm_status_name",
             "sm_last_error", "sm_api_version", "sm_version_string"}
NUMBERS = {"sm_get_fd", "sm_dispatch", "sm_collection_contains"}
