/*
 * Tells packagers and image builders of a library that no NEEDED entry names: the note of the ELF dlopen metadata
 * specification (UAPI group), which dh_dlopenlibdeps, rpm's generators and systemd-analyze read.
 */
#include <stdint.h>

#define TEXT                                                                                                           \
    "[{\"feature\":\"network\",\"description\":\"Connections to the chat service\",\"priority\":\"required\","         \
    "\"soname\":[\"libcurl.so.4\"]}]"

__attribute__((used, retain, aligned(4), section(".note.dlopen"))) static const struct {
    uint32_t name_size, text_size, type;
    char name[4];
    _Alignas(4) char text[sizeof TEXT];
} note = {4, sizeof TEXT, 0x407c0c0a, "FDO", TEXT};
