"""The checksum of a row of the library's files, for tests that change a row and leave it sound.

A second writing of `Checksum` and `RowChecksum` of SyncStore: where the two differ, the library takes what
a test has changed for damaged, and the test fails.
"""

from __future__ import annotations

MASK = 2**64 - 1
SEED = 0x9E37_79B9_7F4A_7C15
FACTOR = 0xD6E8_FEB8_6659_FD93


def mixed(total: int, word: int) -> int:
    product = ((total ^ word) & MASK) * FACTOR & MASK
    return product ^ product >> 29


def folded(total: int) -> int:
    low = (total >> 32 ^ total) & 0xFFFF_FFFF
    return low - 2**32 if low >= 2**31 else low


def of_text(text: bytes) -> int:
    lanes = [SEED, ~SEED & MASK, FACTOR, ~FACTOR & MASK]
    words = [int.from_bytes(text[at:at + 8], "little") for at in range(0, len(text) - 7, 8)]
    whole = len(words) - len(words) % 4
    for index, word in enumerate(words):
        lane = index % 4 if index < whole else 0
        lanes[lane] = mixed(lanes[lane], word)
    left = text[len(words) * 8:]
    rest = len(left)
    for byte in left:
        rest = (rest << 8 | byte) & MASK
    lanes[0] = mixed(lanes[0], rest)
    total = len(text)
    for lane in lanes:
        total = mixed(total, lane)
    return folded(total)


def of_row(*columns: int | str | bytes) -> int:
    total = SEED
    for column in columns:
        if isinstance(column, str):
            column = column.encode()
        total = mixed(total, (of_text(column) if isinstance(column, bytes) else column) & MASK)
    return folded(total)
