#ifndef SYNCMANAGER_CCURL_H
#define SYNCMANAGER_CCURL_H
#include <curl/curl.h>
#include <dlfcn.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

/* libcurl is not linked but loaded, see SyncNetwork/Curl.swift. For each function that is used there is one that looks
 * it up in the loaded library, with the type of curl's header; null if it is missing, and dlerror() says why. */
#define SHIM_CURL_FIND(function)                                             \
    static inline __typeof__(&function) shim_find_##function(void *library) { \
        return (__typeof__(&function))dlsym(library, #function);              \
    }
SHIM_CURL_FIND(curl_global_init)
SHIM_CURL_FIND(curl_easy_init)
SHIM_CURL_FIND(curl_easy_cleanup)
SHIM_CURL_FIND(curl_easy_reset)
SHIM_CURL_FIND(curl_easy_setopt)
SHIM_CURL_FIND(curl_easy_getinfo)
SHIM_CURL_FIND(curl_easy_strerror)
SHIM_CURL_FIND(curl_easy_pause)
SHIM_CURL_FIND(curl_easy_recv)
SHIM_CURL_FIND(curl_easy_send)
SHIM_CURL_FIND(curl_slist_append)
SHIM_CURL_FIND(curl_slist_free_all)
SHIM_CURL_FIND(curl_multi_init)
SHIM_CURL_FIND(curl_multi_cleanup)
SHIM_CURL_FIND(curl_multi_setopt)
SHIM_CURL_FIND(curl_multi_add_handle)
SHIM_CURL_FIND(curl_multi_remove_handle)
SHIM_CURL_FIND(curl_multi_socket_action)
SHIM_CURL_FIND(curl_mime_init)
SHIM_CURL_FIND(curl_mime_free)
SHIM_CURL_FIND(curl_mime_addpart)
SHIM_CURL_FIND(curl_mime_name)
SHIM_CURL_FIND(curl_mime_data)
SHIM_CURL_FIND(curl_mime_data_cb)
SHIM_CURL_FIND(curl_mime_filename)
SHIM_CURL_FIND(curl_mime_type)
SHIM_CURL_FIND(curl_multi_info_read)

/* curl's setters and getters are variadic, which Swift cannot call. One typed wrapper each, for curl's function. */
typedef __typeof__(&curl_easy_setopt) shim_curl_setopt;
typedef __typeof__(&curl_easy_getinfo) shim_curl_getinfo;
typedef __typeof__(&curl_multi_setopt) shim_curl_multi_setopt;

static inline CURLcode shim_curl_set_long(shim_curl_setopt set, CURL *handle, CURLoption option, long value) {
    return set(handle, option, value);
}
static inline CURLcode shim_curl_set_off(shim_curl_setopt set, CURL *handle, CURLoption option, curl_off_t value) {
    return set(handle, option, value);
}
static inline CURLcode shim_curl_set_pointer(shim_curl_setopt set, CURL *handle, CURLoption option, const void *value) {
    return set(handle, option, value);
}
static inline CURLcode shim_curl_set_string(shim_curl_setopt set, CURL *handle, CURLoption option, const char *value) {
    return set(handle, option, value);
}
typedef size_t (*shim_curl_data_callback)(char *bytes, size_t size, size_t count, void *context);
static inline CURLcode shim_curl_set_data_callback(
    shim_curl_setopt set, CURL *handle, CURLoption option, shim_curl_data_callback value) {
    return set(handle, option, value);
}
static inline CURLcode shim_curl_set_prerequest(
    shim_curl_setopt set, CURL *handle, curl_prereq_callback value) {
    return set(handle, CURLOPT_PREREQFUNCTION, value);
}
static inline CURLcode shim_curl_get_long(shim_curl_getinfo get, CURL *handle, CURLINFO info, long *value) {
    return get(handle, info, value);
}
static inline CURLcode shim_curl_get_socket(shim_curl_getinfo get, CURL *handle, CURLINFO info, curl_socket_t *value) {
    return get(handle, info, value);
}
static inline CURLMcode shim_curl_multi_set_pointer(
    shim_curl_multi_setopt set, CURLM *multi, CURLMoption option, void *value) {
    return set(multi, option, value);
}
typedef int (*shim_curl_socket_callback)(
    CURL *handle, curl_socket_t socket, int what, void *context, void *socket_context);
typedef int (*shim_curl_timer_callback)(CURLM *multi, long timeout_ms, void *context);
static inline CURLMcode shim_curl_multi_set_socket_callback(
    shim_curl_multi_setopt set, CURLM *multi, shim_curl_socket_callback value) {
    return set(multi, CURLMOPT_SOCKETFUNCTION, value);
}
static inline CURLMcode shim_curl_multi_set_timer_callback(
    shim_curl_multi_setopt set, CURLM *multi, shim_curl_timer_callback value) {
    return set(multi, CURLMOPT_TIMERFUNCTION, value);
}
/* The most bytes of a connection that wait in the system until the network takes them. Without a bound these are
 * megabytes, and while a slow network takes them, the file that they belong to seems to make no progress. */
enum { SHIM_CURL_UNSENT = 64 << 10 };
/* Opens a socket for a connection, which child programs of the host do not inherit. */
static inline curl_socket_t shim_curl_open_socket(void *context, curlsocktype purpose, struct curl_sockaddr *address) {
    (void)context;
    (void)purpose;
    curl_socket_t made = socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
    const int unsent = SHIM_CURL_UNSENT;
    if (made >= 0 && address->socktype == SOCK_STREAM && (address->family == AF_INET || address->family == AF_INET6))
        (void)setsockopt(made, IPPROTO_TCP, TCP_NOTSENT_LOWAT, &unsent, sizeof unsent); /* it works without, too */
    return made;
}
static inline CURLcode shim_curl_open_sockets(shim_curl_setopt set, CURL *handle) {
    return set(handle, CURLOPT_OPENSOCKETFUNCTION, shim_curl_open_socket);
}
static inline CURLcode shim_curl_message_result(const CURLMsg *message) { return message->data.result; }
#endif
