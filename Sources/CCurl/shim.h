#ifndef SYNCMANAGER_CCURL_H
#define SYNCMANAGER_CCURL_H
#include <curl/curl.h>
#include <sys/socket.h>

/* curl's setters and getters are variadic, which Swift cannot call. One typed door each. */
static inline CURLcode shim_curl_setopt_long(CURL *handle, CURLoption option, long value) {
    return curl_easy_setopt(handle, option, value);
}
static inline CURLcode shim_curl_setopt_off(CURL *handle, CURLoption option, curl_off_t value) {
    return curl_easy_setopt(handle, option, value);
}
static inline CURLcode shim_curl_setopt_pointer(CURL *handle, CURLoption option, const void *value) {
    return curl_easy_setopt(handle, option, value);
}
static inline CURLcode shim_curl_setopt_string(CURL *handle, CURLoption option, const char *value) {
    return curl_easy_setopt(handle, option, value);
}
typedef size_t (*shim_curl_data_callback)(char *bytes, size_t size, size_t count, void *context);
static inline CURLcode shim_curl_setopt_data_callback(CURL *handle, CURLoption option, shim_curl_data_callback value) {
    return curl_easy_setopt(handle, option, value);
}
static inline CURLcode shim_curl_getinfo_long(CURL *handle, CURLINFO info, long *value) {
    return curl_easy_getinfo(handle, info, value);
}
static inline CURLcode shim_curl_getinfo_pointer(CURL *handle, CURLINFO info, void **value) {
    return curl_easy_getinfo(handle, info, value);
}
static inline CURLcode shim_curl_getinfo_socket(CURL *handle, CURLINFO info, curl_socket_t *value) {
    return curl_easy_getinfo(handle, info, value);
}
static inline CURLMcode shim_curl_multi_setopt_long(CURLM *multi, CURLMoption option, long value) {
    return curl_multi_setopt(multi, option, value);
}
static inline CURLMcode shim_curl_multi_setopt_pointer(CURLM *multi, CURLMoption option, void *value) {
    return curl_multi_setopt(multi, option, value);
}
typedef int (*shim_curl_socket_callback)(
    CURL *handle, curl_socket_t socket, int what, void *context, void *socket_context);
typedef int (*shim_curl_timer_callback)(CURLM *multi, long timeout_ms, void *context);
static inline CURLMcode shim_curl_multi_setopt_socket_callback(CURLM *multi, shim_curl_socket_callback value) {
    return curl_multi_setopt(multi, CURLMOPT_SOCKETFUNCTION, value);
}
static inline CURLMcode shim_curl_multi_setopt_timer_callback(CURLM *multi, shim_curl_timer_callback value) {
    return curl_multi_setopt(multi, CURLMOPT_TIMERFUNCTION, value);
}
/* Connections that a host's child program does not inherit. */
static inline curl_socket_t shim_curl_open_socket(void *context, curlsocktype purpose, struct curl_sockaddr *address) {
    (void)context;
    (void)purpose;
    return socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
}
static inline CURLcode shim_curl_close_on_exec(CURL *handle) {
    return curl_easy_setopt(handle, CURLOPT_OPENSOCKETFUNCTION, shim_curl_open_socket);
}
static inline CURLcode shim_curl_message_result(const CURLMsg *message) { return message->data.result; }
#endif
