/* Other processes: a fork, a second owner, and a host that is killed right after a message was accepted. */
#include "check.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

/* Runs `body` in a child; the child's exit status. */
static int in_child(void (*body)(void *), void *argument) {
    fflush(NULL);
    pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
        body(argument);
        /* Ends as another program: what the parent's threads held is lost here, and a leak checker would say so. */
        execlp("true", "true", (char *)NULL);
        _exit(127);
    }
    int status = 0;
    CHECK(waitpid(child, &status, 0) == child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

typedef struct handles {
    sm_client *client;
    sm_collection *messages;
    const char *directory;
} handles;

static void use_in_fork(void *argument) {
    handles *of_parent = argument;
    const char *json = NULL;
    char *text = NULL;
    sm_client *second = NULL;
    char *config = configuration(of_parent->directory, "");
    GIVES(SM_ERR_FORKED, sm_setup(config, &second));
    free(config);
    GIVES(SM_ERR_FORKED, sm_connect(of_parent->client, NULL, NULL, NULL, NULL));
    GIVES(SM_ERR_FORKED, sm_next_event(of_parent->client, 1000, &json, NULL));
    GIVES(SM_ERR_FORKED, sm_dispatch(of_parent->client, 0, 1000));
    GIVES(SM_ERR_FORKED, sm_get_fd(of_parent->client));
    GIVES(SM_ERR_FORKED, sm_send_message(of_parent->messages, "{\"message\":\"m\"}", NULL, NULL, NULL, NULL));
    GIVES(SM_ERR_FORKED, sm_fetch(of_parent->messages, SM_NEXT, NULL, NULL, NULL, NULL));
    GIVES(SM_ERR_FORKED, sm_collection_snapshot(of_parent->messages, &text));
    sm_collection_remove(of_parent->messages);
    sm_close(of_parent->client);
}

static const char *program;

static void start_second_owner(void *argument) {
    execl(program, program, (char *)argument, (char *)NULL);
    _exit(127);
}

/* A program of its own, as a host that was started twice. */
static int second_owner(const char *directory) {
    char *config = configuration(directory, "");
    sm_client *client = NULL;
    GIVES(SM_ERR_LOCKED, sm_setup(config, &client));
    char pid[16];
    snprintf(pid, sizeof pid, "%d", (int)getppid());
    CHECK(last_error_has(pid));
    free(config);
    return 0;
}

/* Accepts messages, and dies without warning as soon as each is told. */
static void accept_and_die(void *argument) {
    handles *own = argument;
    sm_client *client = open_client(own->directory, "");
    sm_collection *messages = NULL;
    GIVES(SM_OK, sm_message_collection_new(client, "c", NULL, SM_LATEST, &messages));
    GIVES(SM_OK, sm_send_message(messages, "{\"message\":\"kept\",\"request_id\":\"accepted-1\"}", NULL, NULL, NULL,
        NULL));
    free(await_event(client, "\"list\":\"pending\"", "\"insert\"", "\"accepted-1\"", NULL));
    GIVES(SM_OK, sm_append_message(messages, "{\"message\":\"kept\",\"request_id\":\"accepted-2\"}", NULL, NULL, NULL,
        NULL));
    free(await_event(client, "\"list\":\"pending\"", "\"insert\"", "\"accepted-2\"", NULL));
    kill(getpid(), SIGKILL);
}

int main(int argc, char **argv) {
    if (argc > 1) return second_owner(argv[1]);
    program = argv[0];
    /* Before this process has a client of its own: a child with one, killed. Its lock died with it. */
    handles own = {.directory = fresh_directory()};
    CHECK(in_child(accept_and_die, &own) == 128 + SIGKILL);
    own.client = open_client(own.directory, "");
    GIVES(SM_OK, sm_message_collection_new(own.client, "c", NULL, SM_LATEST, &own.messages));
    /* What the library sends waits for a connection; what the host sent itself has failed, visibly. */
    free(await_event(own.client, "\"list\":\"pending\"", "\"accepted-1\"", NULL));
    char *snapshot = NULL, *failed;
    do {
        sm_string_free(snapshot);
        GIVES(SM_OK, sm_collection_snapshot(own.messages, &snapshot));
        failed = strstr(snapshot, "\"failed\":[");
        const char *json = NULL;
        if (!strstr(failed, "accepted-2")) {
            GIVES(SM_OK, sm_next_event(own.client, 10000, &json, NULL));
            CHECK(json != NULL);
        }
    } while (!strstr(failed, "accepted-2"));
    CHECK(!strstr(failed, "accepted-1"));
    sm_string_free(snapshot);

    CHECK(in_child(start_second_owner, (void *)own.directory) == 0);
    CHECK(in_child(use_in_fork, &own) == 0);
    /* The fork has harmed nothing here. */
    GIVES(SM_OK, sm_send_message(own.messages, "{\"message\":\"m\",\"request_id\":\"after\"}", NULL, NULL, NULL, NULL));
    free(await_event(own.client, "\"list\":\"pending\"", "\"after\"", NULL));
    sm_close(own.client);
    return checks_done();
}
