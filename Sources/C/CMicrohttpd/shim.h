#ifndef SYNCMANAGER_CMICROHTTPD_H
#define SYNCMANAGER_CMICROHTTPD_H
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <microhttpd.h>

/* libmicrohttpd's entry points are variadic, which Swift cannot call; one typed wrapper each. */

typedef void *(*shim_mhd_uri_callback)(void *context, const char *target, struct MHD_Connection *connection);

/* Leaves the target as it came: it is parsed from the raw bytes that the URI callback saw. */
static size_t shim_mhd_keep_escapes(void *context, struct MHD_Connection *connection, char *text) {
    (void)context;
    (void)connection;
    return strlen(text);
}

/* Starts a daemon in external epoll mode: no thread of its own, run by MHD_run. */
static inline struct MHD_Daemon *shim_mhd_start(const struct sockaddr *address, MHD_AccessHandlerCallback handler,
                                                shim_mhd_uri_callback begun, MHD_RequestCompletedCallback completed,
                                                void *context, size_t connection_memory, unsigned int connection_limit,
                                                unsigned int idle_seconds) {
    return MHD_start_daemon(MHD_USE_EPOLL | MHD_ALLOW_UPGRADE | MHD_ALLOW_SUSPEND_RESUME, 0, NULL, NULL, handler,
                            context, MHD_OPTION_SOCK_ADDR, address, MHD_OPTION_URI_LOG_CALLBACK, begun, context,
                            MHD_OPTION_NOTIFY_COMPLETED, completed, context, MHD_OPTION_UNESCAPE_CALLBACK,
                            &shim_mhd_keep_escapes, NULL, MHD_OPTION_CONNECTION_MEMORY_LIMIT, connection_memory,
                            MHD_OPTION_CONNECTION_LIMIT, connection_limit, MHD_OPTION_CONNECTION_TIMEOUT, idle_seconds,
                            MHD_OPTION_END);
}

/* The descriptor that turns readable when MHD_run has work, or -1. */
static inline int shim_mhd_epoll_descriptor(struct MHD_Daemon *daemon) {
    const union MHD_DaemonInfo *info = MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_EPOLL_FD);
    return info ? info->epoll_fd : -1;
}

/* The port the daemon listens on, or 0. */
static inline unsigned int shim_mhd_port(struct MHD_Daemon *daemon) {
    const union MHD_DaemonInfo *info = MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_BIND_PORT);
    return info ? info->port : 0;
}

/* The socket of a connection, or -1; it is libmicrohttpd's. */
static inline int shim_mhd_socket(struct MHD_Connection *connection) {
    const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    return info ? info->connect_fd : -1;
}

/* Ends a connection's traffic both ways; the socket itself is libmicrohttpd's to close. */
static inline void shim_mhd_shut_down(struct MHD_Connection *connection) {
    int descriptor = shim_mhd_socket(connection);
    if (descriptor >= 0) shutdown(descriptor, SHUT_RDWR);
}

/* Ends an upgraded connection; the socket is libmicrohttpd's and must not be closed by anybody else. */
static inline void shim_mhd_close_upgraded(struct MHD_UpgradeResponseHandle *handle) {
    MHD_upgrade_action(handle, MHD_UPGRADE_ACTION_CLOSE);
}
#endif
