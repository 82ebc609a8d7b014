/* Writes pages of messages as `GET .../messages` answers them: one body a line, newest page first, 100 messages a page,
 * oldest first within a page, about 600 bytes a message.
 *
 * usage: pages COUNT FILE [SEED]      The same seed writes the same bytes. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PAGE = 100, LONGEST = 4096 };

static uint64_t state;

/* splitmix64: small, seeded, good enough to vary texts. */
static uint32_t below(uint32_t bound) {
    uint64_t z = (state += 0x9E3779B97F4A7C15u);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return (uint32_t)((z ^ (z >> 31)) >> 32) % bound;
}

static const char *const words[] = {
    "the", "meeting", "moved", "to", "friday", "see", "notes", "lunch", "ship", "release", "会議", "資料", "Grüße",
    "смотри", "مرحبا", "👍", "🎉", "build", "is", "green", "again", "who", "can", "review", "this", "before",
    "noon", "thanks", "\\\"done\\\"", "agreed", "one\\nmore", "thing", "about", "queue"};

static int user(char *out, size_t size, unsigned number) {
    return snprintf(
        out, size,
        "{\"user_id\":\"user_%03u\",\"nickname\":\"Nick %u\",\"profile_url\":\"https://example.org/p/%03u.png\","
        "\"metadata\":{},\"role\":\"%s\",\"is_blocked_by_me\":false}",
        number, number, number, number % 40 == 0 ? "operator" : "");
}

static void message(char *out, int64_t id, int64_t time) {
    char text[1024], sender[300], mentioned[300] = "", reaction[128] = "";
    size_t length = 0;
    for (unsigned left = 3 + below(24); left > 0; left--)
        length += (size_t)snprintf(
            text + length, sizeof text - length, "%s%s", length ? " " : "", words[below(sizeof words / sizeof *words)]);
    user(sender, sizeof sender, below(200));
    if (below(15) == 0) user(mentioned, sizeof mentioned, below(200));
    if (below(10) == 0)
        snprintf(
            reaction, sizeof reaction, "{\"key\":\"like\",\"user_ids\":[\"user_%03u\"],\"updated_at\":%" PRId64 "}",
            below(200), time + 900);
    snprintf(
        out, LONGEST,
        "{\"type\":\"MESG\",\"message_id\":%" PRId64 ",\"message\":\"%s\",\"data\":\"%s\",\"custom_type\":\"%s\","
        "\"created_at\":%" PRId64 ",\"updated_at\":%" PRId64 ",\"channel_url\":\"benchmark\","
        "\"channel_type\":\"group\",\"user\":%s,\"mention_type\":\"users\",\"mentioned_users\":[%s],"
        "\"reactions\":[%s],\"sorted_metaarray\":[],"
        "\"silent\":false,\"is_op_msg\":false,\"is_removed\":false,\"message_survival_seconds\":-1}",
        id, text, below(5) ? "" : "{\\\"client\\\":\\\"ios\\\"}", below(7) ? "" : "note", time,
        below(25) ? 0 : time + 5000, sender, mentioned, reaction);
}

int main(int argc, char **argv) {
    if (argc < 3) {
        fprintf(stderr, "usage: pages COUNT FILE [SEED]\n");
        return 2;
    }
    int64_t left = strtoll(argv[1], NULL, 10);
    state = argc > 3 ? strtoull(argv[3], NULL, 10) : 1;
    FILE *file = fopen(argv[2], "w");
    if (!file) return perror(argv[2]), 1;
    static char page[PAGE][LONGEST];
    int64_t time = 1760000000000;
    while (left > 0) {
        int count = left < PAGE ? (int)left : PAGE;
        for (int index = count - 1; index >= 0; index--, left--) {
            message(page[index], 10000000 + left * 3, time);
            /* Three in ten share their time with a neighbour, as real bursts do. */
            if (below(10) < 7) time -= 1 + below(20000);
        }
        fputs("{\"messages\":[", file);
        for (int index = 0; index < count; index++) fprintf(file, "%s%s", index ? "," : "", page[index]);
        fputs("]}\n", file);
    }
    if (fclose(file) != 0) return perror(argv[2]), 1;
    return 0;
}
