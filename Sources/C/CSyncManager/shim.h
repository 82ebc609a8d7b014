/* The public header, seen from inside: its constants are the only source of the library's numbers. */
#include "../../../include/syncmanager.h"
