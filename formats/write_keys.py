#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes a file of keys for a sharded build: parts.md as a program, for whoever shuffles keys by other means.

    write_keys.py KEYS DIR J M [BITS]     deals the lines of KEYS out as task J of M, in 2^BITS pieces (default 4)
    ... --values, ... --records           the lines are key TAB unsigned value, or key TAB record

The files of all M tasks, then `crivo partition --finish DIR`, and the shards build from DIR. Like reader.py it needs nothing
but Python, and is slow; its hashes are those of reader.py. No two keys of all tasks are equal.
"""

import pathlib
import struct
import sys

import reader

KIND_KEYS, HASH, SEED = 6, 1, 0
NO_VALUES, NUMBERS, GIVEN = 0, 1, 2
UNSIGNED = 1  # the type of values
KEY_TABLE, KEY_PIECES, RECORD_PIECES = 96, 97, 101
ALIGNMENT, CHUNK, HEADER = 64, 1 << 16, 192
MAGIC = bytes((0xC3, 0x43, 0x52, 0x56, 0x0D, 0x0A, 0x1A, 0x0A))


def u64(*numbers):
    return struct.pack(f"<{len(numbers)}Q", *(number % 2**64 for number in numbers))


def padded(data):
    return data + bytes(-len(data) % ALIGNMENT)


def varint(number):
    return bytes((number,)) if number < 128 else bytes((number & 127 | 128,)) + varint(number >> 7)


def raw_record(key, record):
    return varint(len(key)) + varint(len(record)) + key + record


def key_sections(keys, task, tasks, bits, values, records):
    """Sections 96 and 97 of distinct keys, and 101 if they have records; without values these are their numbers."""
    kind = GIVEN if values is not None else NUMBERS if records is None else NO_VALUES
    pieces = [[] for _ in range(2**bits)]
    for i, (key, value) in enumerate(zip(keys, range(len(keys)) if values is None else values, strict=True)):
        hi, lo = reader.hash_key(HASH, SEED, key)
        pieces[hi >> 64 - bits if bits else 0].append((hi, lo, 0 if kind == NO_VALUES else value, i))
    placed = [entry for piece in pieces for entry in piece]
    sums = [
        sum(hi for hi, _, _, _ in placed),
        sum(lo for _, lo, _, _ in placed),
        sum(value * (lo | 1) for _, lo, value, _ in placed),
        sum(lo | 1 for _, lo, _, _ in placed),
    ]
    every_bit = 0
    for _, _, value, _ in placed:
        every_bit |= value
    table = struct.pack("<II", kind, bits) + u64(task, tasks, len(keys), *sums, every_bit)
    table += bytes(16) + u64(0)  # the state of the input is not told; no two keys are equal
    table += u64(*(len(piece) for piece in pieces))
    data = b""
    for piece in pieces:
        data += b"".join(u64(hi, lo) for hi, lo, _, _ in piece)
        data += b"" if kind == NO_VALUES else u64(*(value for _, _, value, _ in piece))
    sections = [(KEY_PIECES, data)]
    if records is not None:
        texts = [b"".join(raw_record(keys[i], records[i]) for _, _, _, i in piece) for piece in pieces]
        sections.append((RECORD_PIECES, b"".join(texts)))
        table += u64(*map(len, texts))
    return [*sections, (KEY_TABLE, table)]


def container(kind, n, build_id, sections, value_type=0):
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
    header = MAGIC + struct.pack("<HHI", 0, 1, HEADER) + u64(0, 0, length, begin)
    header += struct.pack("<II", len(sections), kind) + u64(n, SEED) + struct.pack("<IHH", HASH, value_type, 0)
    header += bytes(16) + build_id + bytes(40 + 32)
    table += bytes(16)
    checksum = u64(reader.xxh3_64(header + table))
    footer = u64(length) + checksum + bytes(byte ^ 0xFF for byte in MAGIC)
    return header + checksum + body + sums + table + footer


def write(keys, directory, task, tasks, bits=4, build_id=bytes(16), values=None, records=None):
    """Keys are bytes; `values`, if they have some of their own, integers below 2^64; `records`, for stores, bytes."""
    sections = key_sections(keys, task, tasks, bits, values, records)
    path = pathlib.Path(directory) / f"keys-{task}-of-{tasks}.crv"
    path.write_bytes(container(KIND_KEYS, len(keys), build_id, sections, 0 if values is None else UNSIGNED))


if __name__ == "__main__":
    given = [text for text in sys.argv[1:] if not text.startswith("--")]
    lines = pathlib.Path(given[0]).read_bytes().split(b"\n")
    lines = lines[:-1] if lines[-1] == b"" else lines
    keys, others = [line.split(b"\t", 1)[0] for line in lines], [line.split(b"\t", 1)[-1] for line in lines]
    values = list(map(int, others)) if "--values" in sys.argv else None
    records = others if "--records" in sys.argv else None
    task, tasks, *bits = map(int, given[2:])
    write(keys, given[1], task, tasks, *bits, values=values, records=records)
