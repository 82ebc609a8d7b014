#ifndef SYNCMANAGER_CZLIB_H
#define SYNCMANAGER_CZLIB_H
#include <zlib.h>
#endif
