# SPDX-License-Identifier: BSD-3-Clause
"""Reads model and checkpoint files without the program: whether they are whole, and their
entries."""
import struct
import zlib

HEADER = 24
# Kinds of entries with a bit for each number, followed by the numbers that are not 0.
PACKED, PACKED_SINGLE = 4, 5
# Elapsed times, which may differ between equal runs: the last numbers of `figures`.
TIMES = 2
# The bytes of a check in `curve`: pass, seconds, primal, dual. The curve of a resumed run begins
# with the resumption.
CHECK = 32


def whole(content):
    """Whether the bytes are a complete file with the right checksum."""
    if len(content) < HEADER + 4 or content[:4] != b"SLAC":
        return False
    (length,) = struct.unpack_from("<Q", content, 12)
    (checksum,) = struct.unpack_from("<I", content, len(content) - 4)
    return length == len(content) and checksum == zlib.crc32(content[:-4])


def entries(content):
    """name -> bytes of the entry, in the order of the file."""
    found = {}
    (count,) = struct.unpack_from("<I", content, 20)
    at = HEADER
    for _ in range(count):
        kind = content[at]
        (length,) = struct.unpack_from("<I", content, at + 1)
        name = content[at + 5 : at + 5 + length].decode()
        at += 5 + length
        begin = at
        at = _end(content, kind, at)
        found[name] = content[begin:at]
    return found


def _end(content, kind, at):
    (count,) = struct.unpack_from("<Q", content, at)
    at += 8
    if kind == 0:
        return at + count
    if kind == 1:
        for _ in range(count):
            (length,) = struct.unpack_from("<Q", content, at)
            at += 8 + length
        return at
    if kind in (PACKED, PACKED_SINGLE):
        bitmap = content[at : at + (count + 7) // 8]
        kept = sum(bin(byte).count("1") for byte in bitmap)
        return at + len(bitmap) + (8 if kind == PACKED else 4) * kept
    return at + 8 * count


def _timeless(check):
    return check[:8] + check[16:]


def difference(first, second, ignored=()):
    """The first entry in which two models differ, elapsed times left out, or None."""
    if first is None or second is None:
        return "there is no model"
    if not whole(first) or not whole(second):
        return "the model is not whole"
    one, other = entries(first), entries(second)
    if list(one) != list(other):
        return "the models have different entries"
    for name, content in one.items():
        rest = other[name]
        if name == "figures":
            content, rest = content[: -8 * TIMES], rest[: -8 * TIMES]
        if name == "curve":
            content, rest = (_timeless(curve[-CHECK:]) for curve in (content, rest))
        if content != rest and name not in ignored:
            return f"entry '{name}' of the model differs"
    return None
