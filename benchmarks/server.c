/* Load on a syncmanager-server over 127.0.0.1, in one thread: what it costs here is little beside what it measures.
 *
 *   server pages PORT KEY CONNECTIONS COUNT EXPECTED TARGET...
 *       COUNT requests for the targets in turn, one at a time on each of the kept connections; each answer must be a
 *       200 with EXPECTED messages.
 *   server sockets PORT TOKEN CHANNEL READERS MUTE COUNT SIZE
 *       READERS + MUTE sockets of users user-0, user-1, …; COUNT messages of SIZE letters are posted one after
 *       the other, each when all readers have the last. The mute ones never read. Ends when standard input does.
 *
 * Both print one line of JSON, and end by themselves after five minutes whatever happens. */
#define _GNU_SOURCE
#include "start.h"
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>

#define CHANNEL_USER "user-0"

struct peer {
    int descriptor;
    char *bytes;
    size_t count, room, request;
    double begun;
    long messages;
};

static void fail(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
    exit(1);
}

static void dial(struct peer *peer, int port, int receive_buffer) {
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    int one = 1;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    memset(peer, 0, sizeof *peer);
    peer->descriptor = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (receive_buffer)
        setsockopt(peer->descriptor, SOL_SOCKET, SO_RCVBUF, &receive_buffer, sizeof receive_buffer);
    if (connect(peer->descriptor, (struct sockaddr *)&address, sizeof address)) fail("connect: %s", strerror(errno));
    setsockopt(peer->descriptor, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    peer->room = 1 << 17;
    peer->bytes = malloc(peer->room);
    if (!peer->bytes) fail("out of memory");
}

static void put(struct peer *peer, const char *bytes, size_t count) {
    while (count > 0) {
        ssize_t sent = send(peer->descriptor, bytes, count, MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR) continue;
        if (sent < 0) fail("send: %s", strerror(errno));
        bytes += sent;
        count -= (size_t)sent;
    }
}

static void take(struct peer *peer) {
    if (peer->room - peer->count < (1 << 14)) {
        peer->room *= 2;
        peer->bytes = realloc(peer->bytes, peer->room);
        if (!peer->bytes) fail("out of memory");
    }
    ssize_t got = recv(peer->descriptor, peer->bytes + peer->count, peer->room - peer->count - 1, 0);
    if (got < 0 && errno == EINTR) return;
    if (got <= 0) fail("the server closed a connection");
    peer->count += (size_t)got;
    peer->bytes[peer->count] = 0;
}

static void drop(struct peer *peer, size_t count) {
    peer->count -= count;
    memmove(peer->bytes, peer->bytes + count, peer->count);
}

/* The length of a whole answer at the front, or 0; `body` is where its body begins. */
static size_t answer(struct peer *peer, size_t *body) {
    if (peer->count == 0) return 0;
    peer->bytes[peer->count] = 0;
    char *end = strstr(peer->bytes, "\r\n\r\n");
    if (!end) return 0;
    *body = (size_t)(end - peer->bytes) + 4;
    char *length = strcasestr(peer->bytes, "\r\nContent-Length:");
    if (!length || length > end) fail("an answer without a length: %.200s", peer->bytes);
    size_t whole = *body + strtoul(length + 17, NULL, 10);
    return peer->count >= whole ? whole : 0;
}

static int by_size(const void *left, const void *right) {
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

static long messages(const char *text, size_t count) {
    long found = 0;
    const char *end = text + count;
    while ((text = memmem(text, (size_t)(end - text), "\"message_id\":", 13))) {
        found++;
        text += 13;
    }
    return found;
}

static void ask(struct peer *peer, const char *key, const char *target) {
    char request[2048];
    int count = snprintf(request, sizeof request, "GET %s HTTP/1.1\r\nHost: x\r\nSession-Key: %s\r\n\r\n", target, key);
    if (count < 0 || (size_t)count >= sizeof request) fail("the target is too long");
    peer->begun = now();
    put(peer, request, (size_t)count);
}

static int pages(int argc, char **argv) {
    if (argc < 8) return 2;
    int port = atoi(argv[2]), connections = atoi(argv[4]);
    long count = atol(argv[5]), expected = atol(argv[6]), asked = 0, done = 0, bytes = 0;
    char **targets = argv + 7;
    long target_count = argc - 7;
    if (connections < 1 || connections > 1000 || count < connections || count > 10000000) return 2;
    struct peer *peers = calloc((size_t)connections, sizeof *peers);
    double *taken = malloc((size_t)count * sizeof *taken);
    if (!peers || !taken) fail("out of memory");
    int poll = epoll_create1(EPOLL_CLOEXEC);
    double begun = now();
    for (int index = 0; index < connections; index++) {
        dial(&peers[index], port, 0);
        struct epoll_event event = {.events = EPOLLIN, .data.ptr = &peers[index]};
        epoll_ctl(poll, EPOLL_CTL_ADD, peers[index].descriptor, &event);
        ask(&peers[index], argv[3], targets[asked++ % target_count]);
    }
    while (done < count) {
        struct epoll_event events[64];
        int ready = epoll_wait(poll, events, 64, 10000);
        if (ready == 0) fail("no answer in ten seconds");
        for (int index = 0; index < ready; index++) {
            struct peer *peer = events[index].data.ptr;
            size_t body = 0;
            take(peer);
            size_t whole = answer(peer, &body);
            if (whole == 0) continue;
            taken[done++] = now() - peer->begun;
            bytes += (long)(whole - body);
            if (strncmp(peer->bytes, "HTTP/1.1 200", 12)) fail("refused: %.600s", peer->bytes);
            /* Counting all would cost more than the rest of this program: each thousandth is looked at. */
            if (done % 1000 == 1 && messages(peer->bytes + body, whole - body) != expected)
                fail("%ld messages where %ld are due: %.300s", messages(peer->bytes + body, whole - body), expected,
                     peer->bytes + body);
            drop(peer, whole);
            if (asked < count) ask(peer, argv[3], targets[asked++ % target_count]);
        }
    }
    double seconds = now() - begun;
    qsort(taken, (size_t)count, sizeof *taken, by_size);
    printf("{\"per_second\":%.1f,\"median_seconds\":%.9f,\"p99_seconds\":%.9f,\"bytes\":%ld}\n",
           (double)count / seconds, taken[count / 2], taken[count * 99 / 100], bytes / count);
    return 0;
}

/* Takes whole frames from the front and counts the messages among them; answers pings. */
static void frames(struct peer *peer) {
    size_t at = 0;
    while (peer->count - at >= 2) {
        const unsigned char *head = (const unsigned char *)peer->bytes + at;
        size_t length = head[1] & 127, start = 2;
        if (length == 126) {
            if (peer->count - at < 4) break;
            length = (size_t)head[2] << 8 | head[3];
            start = 4;
        } else if (length == 127) {
            if (peer->count - at < 10) break;
            length = 0;
            for (int index = 2; index < 10; index++) length = length << 8 | head[index];
            start = 10;
        }
        if (peer->count - at < start + length) break;
        if ((head[0] & 15) == 8) fail("the server ended a socket");
        if ((head[0] & 15) == 9) put(peer, "\x8a\x80\0\0\0\0", 6);
        if ((head[0] & 15) == 1 && length > 4 && !memcmp(head + start, "MESG", 4)) peer->messages++;
        at += start + length;
    }
    drop(peer, at);
}

static void open_socket(struct peer *peer, int port, int number, int is_mute) {
    char request[512];
    dial(peer, port, is_mute ? 4096 : 0);
    int count = snprintf(request, sizeof request,
                         "GET /?user_id=user-%d HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                         "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n",
                         number);
    put(peer, request, (size_t)count);
    /* The greeting tells that the socket takes part in broadcasts from now on. */
    while (!memmem(peer->bytes, peer->count, "LOGI{", 5)) take(peer);
    char *end = strstr(peer->bytes, "\r\n\r\n");
    if (!end || strncmp(peer->bytes, "HTTP/1.1 101", 12) || strstr(end, "LOGI{\"error\""))
        fail("no socket: %.400s", peer->bytes);
    drop(peer, (size_t)(end - peer->bytes) + 4);
}

static int sockets(int argc, char **argv) {
    if (argc != 9) return 2;
    int port = atoi(argv[2]), readers = atoi(argv[5]), mute = atoi(argv[6]);
    long count = atol(argv[7]), size = atol(argv[8]);
    if (readers < 1 || mute < 0 || readers + mute > 1000 || count < 1 || count > 1000000 || size < 0 || size > 60000)
        return 2;
    static char body[1 << 16], request[1 << 17], text[1 << 16];
    memset(text, 'x', (size_t)size);
    struct peer *peers = calloc((size_t)(readers + mute), sizeof *peers), poster;
    double *taken = malloc((size_t)count * sizeof *taken);
    if (!peers || !taken) fail("out of memory");
    int poll = epoll_create1(EPOLL_CLOEXEC);
    for (int index = 0; index < readers + mute; index++) {
        open_socket(&peers[index], port, index, index >= readers);
        if (index >= readers) continue;
        struct epoll_event event = {.events = EPOLLIN, .data.ptr = &peers[index]};
        epoll_ctl(poll, EPOLL_CTL_ADD, peers[index].descriptor, &event);
    }
    dial(&poster, port, 0);
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = &poster};
    epoll_ctl(poll, EPOLL_CTL_ADD, poster.descriptor, &event);
    for (long number = 1; number <= count; number++) {
        int length = snprintf(body, sizeof body,
                              "{\"message_type\":\"MESG\",\"user_id\":\"" CHANNEL_USER "\",\"message\":\"%ld %s\"}",
                              number, text);
        int whole = snprintf(request, sizeof request,
                             "POST /v3/group_channels/%s/messages HTTP/1.1\r\nHost: x\r\nApi-Token: %s\r\n"
                             "Content-Type: application/json\r\nContent-Length: %d\r\n\r\n%s",
                             argv[4], argv[3], length, body);
        int have = 0, answered = 0;
        double begun = now();
        put(&poster, request, (size_t)whole);
        while (have < readers || !answered) {
            struct epoll_event events[256];
            int ready = epoll_wait(poll, events, 256, 10000);
            if (ready == 0) fail("message %ld reached %d of %d in ten seconds", number, have, readers);
            for (int index = 0; index < ready; index++) {
                struct peer *peer = events[index].data.ptr;
                take(peer);
                if (peer == &poster) {
                    size_t at = 0, size = answer(peer, &at);
                    if (size == 0) continue;
                    if (strncmp(peer->bytes, "HTTP/1.1 200", 12)) fail("refused: %.600s", peer->bytes);
                    drop(peer, size);
                    answered = 1;
                    continue;
                }
                long before = peer->messages;
                frames(peer);
                if (before < number && peer->messages >= number && ++have == readers) taken[number - 1] = now() - begun;
            }
        }
    }
    qsort(taken, (size_t)count, sizeof *taken, by_size);
    printf("{\"median_seconds\":%.9f,\"p99_seconds\":%.9f,\"worst_seconds\":%.9f}\n", taken[count / 2],
           taken[count * 99 / 100], taken[count - 1]);
    fflush(stdout);
    char byte;
    while (read(0, &byte, 1) > 0) {}
    return 0;
}

int main(int argc, char **argv) {
    int result = 2;
    alarm(300);
    if (argc > 1 && !strcmp(argv[1], "pages")) result = pages(argc, argv);
    if (argc > 1 && !strcmp(argv[1], "sockets")) result = sockets(argc, argv);
    if (result == 2) fprintf(stderr, "see the head of benchmarks/server.c\n");
    return result;
}
