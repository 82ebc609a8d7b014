/* Text from outside, printed so that it cannot control the terminal: docs/display.md. */
#ifndef TERMINAL_H
#define TERMINAL_H

#include <stdio.h>

/* The character that begins at `text`, if it is one that a terminal obeys, that changes the direction of others or ends
 * a line; else 0. `*length` becomes the number of its bytes. */
static unsigned control_at(const char *text, size_t *length) {
    const unsigned char *at = (const unsigned char *)text;
    unsigned character = at[0];
    *length = 1;
    if (character < 0x20 || character == 0x7F) return character;
    if (character == 0xC2 && at[1] >= 0x80 && at[1] < 0xA0) return *length = 2, at[1];
    if (character == 0xD8 && at[1] == 0x9C) return *length = 2, 0x061C;
    if (character != 0xE2 || (at[1] & 0xC0) != 0x80 || (at[2] & 0xC0) != 0x80) return 0;
    character = 0x2000 | (at[1] & 0x3Fu) << 6 | (at[2] & 0x3Fu);
    if (character != 0x200E && character != 0x200F && (character < 0x2028 || character > 0x202E) &&
        (character < 0x2066 || character > 0x2069))
        return 0;
    *length = 3;
    return character;
}

/* The text without such characters; a tab or an end of line becomes a space. */
static inline void print_plain(const char *text) {
    for (size_t length; *text; text += length) {
        unsigned control = control_at(text, &length);
        int is_space = control == '\t' || control == '\n' || control == 0x2028 || control == 0x2029;
        if (control == 0 || is_space) putchar(control ? ' ' : *text);
    }
}

/* JSON that means the same, on a line: in it these characters stand in texts only, where they can be escaped. */
static inline void print_json(const char *json) {
    for (size_t length; *json; json += length) {
        unsigned control = control_at(json, &length);
        if (control)
            printf("\\u%04x", control);
        else
            putchar(*json);
    }
    putchar('\n');
}

#endif
