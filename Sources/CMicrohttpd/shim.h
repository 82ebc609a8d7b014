#ifndef SYNCMANAGER_CMICROHTTPD_H
#define SYNCMANAGER_CMICROHTTPD_H
#include <stdint.h>
#include <sys/socket.h>
#include <microhttpd.h>
#endif
