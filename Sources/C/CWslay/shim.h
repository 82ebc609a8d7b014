#ifndef SYNCMANAGER_CWSLAY_H
#define SYNCMANAGER_CWSLAY_H
#include <wslay/wslay.h>
#endif
