#ifndef SYNCMANAGER_CJANSSON_H
#define SYNCMANAGER_CJANSSON_H
#include <jansson.h>

/* The reference counters and type tests are macros or inline functions that Swift does not import everywhere. */
static inline json_t *shim_json_incref(json_t *value) { return json_incref(value); }
static inline void shim_json_decref(json_t *value) { json_decref(value); }
static inline int shim_json_typeof(const json_t *value) { return (int)json_typeof(value); }
/* Flags are casts or shifts of size_t in jansson.h. */
static const size_t shim_JSON_COMPACT = JSON_COMPACT;
static const size_t shim_JSON_ENCODE_ANY = JSON_ENCODE_ANY;
static const size_t shim_JSON_DECODE_ANY = JSON_DECODE_ANY;
static const size_t shim_JSON_REJECT_DUPLICATES = JSON_REJECT_DUPLICATES;
static const size_t shim_JSON_ALLOW_NUL = JSON_ALLOW_NUL;
#endif
