#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes a file of keys for a sharded build: parts.md as a program, for whoever shuffles keys by other means.

    write_keys.py KEYS DIR J M [BITS]     deals the lines of KEYS out as task J of M, in 2^BITS pieces (default 4)

The files of all M tasks, then `crivo partition --finish DIR`, and the shards build from DIR. Like reader.py it needs nothing
but Python, and is slow; its hashes are those of reader.py.
"""

import pathlib
import struct
import sys

import reader

KIND_KEYS, HASH, SEED, NUMBERS = 6, 1, 0, 1
KEY_TABLE, KEY_PIECES = 96, 97
ALIGNMENT, CHUNK, HEADER = 64, 1 << 16, 192
MAGIC = bytes((0xC3, 0x43, 0x52, 0x56, 0x0D, 0x0A, 0x1A, 0x0A))


def u64(*numbers):
    return struct.pack(f"<{len(numbers)}Q", *(number % 2**64 for number in numbers))


def padded(data):
    return data + bytes(-len(data) % ALIGNMENT)


def key_sections(keys, task, tasks, bits):
    """Sections 96 and 97 of distinct keys, whose values are their numbers."""
    pieces = [[] for _ in range(2**bits)]
    for number, key in enumerate(keys):
        hi, lo = reader.hash_key(HASH, SEED, key)
        pieces[hi >> 64 - bits if bits else 0].append((hi, lo, number))
    placed = [entry for piece in pieces for entry in piece]
    sums = [
        sum(hi for hi, _, _ in placed),
        sum(lo for _, lo, _ in placed),
        sum(number * (lo | 1) for _, lo, number in placed),
        sum(lo | 1 for _, lo, _ in placed),
    ]
    every_bit = 0
    for _, _, number in placed:
        every_bit |= number
    table = struct.pack("<II", NUMBERS, bits) + u64(task, tasks, len(keys), *sums, every_bit)
    table += bytes(16) + u64(0)  # the state of the input is not told; no two keys are equal
    table += u64(*(len(piece) for piece in pieces))
    data = b""
    for piece in pieces:
        data += b"".join(u64(hi, lo) for hi, lo, _ in piece) + u64(*(number for _, _, number in piece))
    return [(KEY_PIECES, data), (KEY_TABLE, table)]


def container(kind, n, build_id, sections):
    """crivo-1.md, "Layout"."""
    body, table, sums = b"", b"", b""
    for number, data in sections:
        offset = HEADER + len(body)
        chunks = u64(*(reader.xxh3_64(data[at : at + CHUNK]) for at in range(0, len(data), CHUNK)))
        table += struct.pack("<IIQQII", number, 0, offset, len(data), ALIGNMENT, 0)
        table += u64(reader.xxh3_64(chunks), 0, 0, 0) + bytes(32)  # files of keys have no hash tree
        body += padded(data)
        sums += chunks
    begin = HEADER + len(body) + len(sums)
    length = begin + len(table) + 40
    header = MAGIC + struct.pack("<HHI", 1, 0, HEADER) + u64(0, 0, length, begin)
    header += struct.pack("<II", len(sections), kind) + u64(n, SEED) + struct.pack("<IHH", HASH, 0, 0)
    header += bytes(16) + build_id + bytes(40 + 32)
    table += bytes(16)
    checksum = u64(reader.xxh3_64(header + table))
    footer = u64(length) + checksum + bytes(byte ^ 0xFF for byte in MAGIC)
    return header + checksum + body + sums + table + footer


def write(keys, directory, task, tasks, bits=4, build_id=bytes(16)):
    sections = key_sections(keys, task, tasks, bits)
    path = pathlib.Path(directory) / f"keys-{task}-of-{tasks}.crv"
    path.write_bytes(container(KIND_KEYS, len(keys), build_id, sections))


if __name__ == "__main__":
    name, directory, task, tasks, *bits = sys.argv[1:]
    lines = pathlib.Path(name).read_bytes().split(b"\n")
    write(lines[:-1] if lines[-1] == b"" else lines, directory, int(task), int(tasks), *map(int, bits))
