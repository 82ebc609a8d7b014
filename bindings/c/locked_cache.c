/*
 * locked_cache - shows the newest message of a channel out of a cache that only a passphrase opens.
 *
 *     locked_cache CONFIG_JSON CHANNEL_URL             asks for the passphrase
 *     locked_cache CONFIG_JSON CHANNEL_URL --change    and for another one, which it has from then on
 *
 * docs/encryption.md explains the errors.
 */
#include <jansson.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <syncmanager.h>
#include <termios.h>

#include "terminal.h" /* print_plain(): a text of others must not control the terminal */

/* How a call ended; of one that failed `last_error` has the "message". Both are kept until the next. */
static int is_complete;
static int32_t last_status;
static json_t *last_error;

static int32_t ended(int32_t status, json_t *error) {
    is_complete = 1;
    json_decref(last_error);
    last_error = error;
    return last_status = status;
}

static void on_result(void *user_data, int32_t status, const char *json, size_t length) {
    (void)user_data;
    ended(status, json_loadb(json, length, 0, NULL));
}

/* Runs the callbacks until the call is complete. */
static int32_t wait_for(sm_client *client, int32_t begun) {
    if (begun != SM_OK) return ended(begun, json_loads(sm_last_error(), 0, NULL));
    for (is_complete = 0; !is_complete;)
        if ((begun = sm_dispatch(client, 0, -1)) < 0) return ended(begun, json_loads(sm_last_error(), 0, NULL));
    return last_status;
}

static int fail(const char *what) {
    const char *message = json_string_value(json_object_get(last_error, "message"));
    fprintf(stderr, "%s: %s\n", what, message ? message : sm_status_name(last_status));
    return 0;
}

/* What ends a program from its terminal, and how the terminal was before it hid what is typed. */
static const int ending[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM};
enum { ENDING = sizeof ending / sizeof *ending };
static struct termios shown;

/* A signal ends the program as it does without this; but the terminal would stay as it is, in the user's shell too. */
static void on_end(int number) {
    tcsetattr(0, TCSAFLUSH, &shown); /* a handler may call it */
    raise(number); /* when this returns; SA_RESETHAND has restored what the signal does */
}

/* Asks the user; 0 at the end of the input. What is typed is not shown when it is a secret. */
static int ask(const char *question, int is_secret, char answer[256]) {
    struct termios hidden;
    struct sigaction putting_back = {0}, before[ENDING];
    int is_terminal = is_secret && tcgetattr(0, &shown) == 0, is_answered, i;
    if (is_terminal) {
        putting_back.sa_handler = on_end;
        putting_back.sa_flags = (int)SA_RESETHAND;
        for (i = 0; i < ENDING; i++) {
            sigaction(ending[i], NULL, &before[i]);
            if (before[i].sa_handler != SIG_IGN) sigaction(ending[i], &putting_back, NULL);
        }
        hidden = shown;
        hidden.c_lflag &= ~(tcflag_t)ECHO;
        tcsetattr(0, TCSAFLUSH, &hidden);
    }
    printf("%s", question);
    fflush(stdout);
    is_answered = fgets(answer, 256, stdin) != NULL;
    if (is_terminal) {
        tcsetattr(0, TCSAFLUSH, &shown);
        for (i = 0; i < ENDING; i++) sigaction(ending[i], &before[i], NULL);
    }
    printf("\n");
    fflush(stdout);
    answer[is_answered ? strcspn(answer, "\n") : 0] = 0;
    return is_answered;
}

/* sm_setup() with a passphrase, or without one where it is NULL. */
static int32_t open_cache(const char *configuration, const char *passphrase, sm_client **client) {
    json_t *config = json_loads(configuration, 0, NULL);
    char *text;
    int32_t status;
    if (passphrase) json_object_set_new(config, "encryption_passphrase", json_string(passphrase));
    text = json_dumps(config, 0);
    status = sm_setup(text ? text : configuration, client);
    free(text);
    json_decref(config);
    return ended(status, status == SM_OK ? NULL : json_loads(sm_last_error(), 0, NULL));
}

/* The action "encrypt" (of files that are not yet) or "rekey" (another passphrase opens them from now on). */
static int32_t set_passphrase(sm_client *client, const char *action, const char *passphrase) {
    json_t *request = json_pack("{s:s, s:s}", "action", action, "encryption_passphrase", passphrase);
    char *text = json_dumps(request, 0);
    int32_t status = wait_for(client, sm_call(client, text, on_result, NULL, NULL, NULL));
    free(text);
    json_decref(request);
    return status;
}

/* Nothing can encrypt here. Never goes on without asking: whoever gave a passphrase relies on it. */
static int is_agreed(void) {
    char answer[256];
    const char *missing = json_string_value(json_object_get(last_error, "message"));
    print_plain(missing ? missing : "");
    printf("\n");
    if (ask("go on without encryption (yes or no)? ", 0, answer) && strcmp(answer, "yes") == 0) return 1;
    fprintf(stderr, "nothing was opened\n");
    return 0;
}

/* Asks until the cache is open; `*client` is NULL where it is not. */
static int unlock(const char *config, sm_client **client) {
    char passphrase[256];
    for (;;) {
        if (!ask("passphrase: ", 1, passphrase)) return fprintf(stderr, "there is no answer\n"), 0;
        if (open_cache(config, passphrase, client) == SM_ERR_WRONG_KEY) {
            /* The same error when the files are not encrypted at all: then they can be opened without a passphrase. */
            if (open_cache(config, NULL, client) == SM_ERR_WRONG_KEY) {
                printf("this passphrase does not open it\n");
                continue;
            }
            if (last_status == SM_OK && set_passphrase(*client, "encrypt", passphrase) == SM_OK)
                printf("the files are encrypted now\n");
        }
        if (last_status == SM_ERR_NO_ENCRYPTION) {
            if (!is_agreed()) return 0;
            return *client || open_cache(config, NULL, client) == SM_OK || fail("sm_setup");
        }
        return last_status == SM_OK || fail("the passphrase");
    }
}

static int show_newest(sm_client *client, const char *channel_url) {
    sm_collection *chat = NULL;
    json_t *snapshot, *sent;
    char *text = NULL;
    const char *newest;
    if (sm_connect(client, NULL, NULL, NULL, NULL) != SM_OK ||
        sm_message_collection_new(client, channel_url, NULL, SM_LATEST, &chat) != SM_OK)
        return fprintf(stderr, "%s\n", sm_last_error()), 0;
    if (wait_for(client, sm_fetch(chat, SM_PREVIOUS, on_result, NULL, NULL, NULL)) != SM_OK) return fail("fetch");
    if (sm_collection_snapshot(chat, &text) != SM_OK) return fprintf(stderr, "%s\n", sm_last_error()), 0;
    snapshot = json_loads(text, 0, NULL);
    sm_string_free(text);
    sent = json_object_get(snapshot, "succeeded");
    newest = json_string_value(json_object_get(json_array_get(sent, json_array_size(sent) - 1), "message"));
    printf("newest: ");
    print_plain(newest ? newest : "");
    printf("\n");
    json_decref(snapshot);
    return 1;
}

int main(int argc, char **argv) {
    sm_client *client = NULL;
    char another[256];
    int is_change = argc == 4 && strcmp(argv[3], "--change") == 0, is_good;
    if (argc != 3 && !is_change) return fprintf(stderr, "usage: locked_cache CONFIG_JSON CHANNEL_URL [--change]\n"), 1;
    is_good = unlock(argv[1], &client) && show_newest(client, argv[2]);
    if (is_good && is_change) {
        is_good = ask("new passphrase: ", 1, another) &&
                  (set_passphrase(client, "rekey", another) == SM_OK || fail("rekey"));
        if (is_good) printf("the old passphrase opens nothing any more\n");
    }
    json_decref(last_error);
    sm_close(client);
    return is_good ? 0 : 1;
}
